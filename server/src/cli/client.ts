import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { listAllClients, registerClient } from '../applications/clients/registration.ts'
import { addSecret } from '../applications/clients/secrets.ts'
import { findClient } from '../applications/clients.ts'
import { findApplicationNamed } from '../applications/service.ts'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { ClientAuthMethod, ClientKind, PublicKeySet, ResponseMode, SecurityProfile } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { findTenant } from '../tenants/service.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  application: string
  kind: ClientKind
  name: string
  clientId?: string
  redirectUri?: string[]
  postLogoutRedirectUri?: string[]
  origin?: string[]
  scope?: string[]
  tenant?: string
  requireNonce: boolean
  userinfoInIdToken: boolean
  responseMode?: ResponseMode[]
  requirePushedRequests?: boolean
  requireSignedRequests?: boolean
  requireDpop?: true
  deviceFlow?: boolean
  tokenExchange?: true
  authMethod?: ClientAuthMethod
  jwks?: string
  jwksUri?: string
  securityProfile?: SecurityProfile
  backchannelLogoutUri?: string
}

const create = new Command('create')
  .description('register a client of an application')
  .requiredOption('--application <slug>', 'the application of the client')
  .addOption(new Option('--kind <kind>', 'the kind of client').choices(['SPA', 'WEB', 'MACHINE']).makeOptionMandatory())
  .requiredOption('--name <name>', 'the display name')
  .option('--client-id <id>', 'the client_id (generated)')
  .option('--redirect-uri <uri...>', 'allowed redirect URIs for authorization codes')
  .option('--post-logout-redirect-uri <uri...>', 'allowed redirect URIs after logout')
  .option('--origin <origin...>', 'origins that may call the token endpoint')
  .option('--scope <scope...>', 'the scopes that the client may request')
  .option('--tenant <slug>', 'the tenant of a MACHINE client (the whole instance)')
  .addOption(
    new Option('--response-mode <mode...>', 'how it may receive codes (query)').choices(['query', 'form_post']),
  )
  .option('--require-dpop', 'refuse token requests without a DPoP proof')
  .option('--device-flow', 'let devices without a browser ask for a sign-in on another device')
  .option('--token-exchange', 'let it exchange the access tokens that it receives for tokens for other APIs')
  .addOption(
    new Option('--auth-method <method>', 'how a client with a server authenticates (client_secret)').choices([
      'client_secret',
      'private_key_jwt',
    ]),
  )
  .option('--jwks <file>', 'a JSON file with its public keys (JWK Set), for private_key_jwt or signed requests')
  .option('--jwks-uri <url>', 'where its public keys are fetched, instead of --jwks')
  .addOption(
    new Option('--security-profile <profile>', 'FAPI2: what the FAPI 2.0 Security Profile requires (NONE)').choices([
      'NONE',
      'FAPI2',
    ]),
  )
  .option('--backchannel-logout-uri <url>', 'where it is told that sessions ended (Back-Channel Logout)')
  .option('--no-require-nonce', 'accept sign-ins of libraries that send no nonce, such as django-allauth')
  .option('--require-pushed-requests', 'refuse authorization requests that were not pushed (PAR)')
  .option('--require-signed-requests', 'refuse authorization requests that its key did not sign (JAR)')
  .option('--no-userinfo-in-id-token', 'leave profile and email claims out of ID tokens')
  .action(async (options: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const application = await findApplicationNamed(ctx, options.application)
      if (!application) throw new OperatorError(`There is no application ${options.application}.`)
      const tenant = options.tenant === undefined ? undefined : await findTenant(ctx, options.tenant)
      if (options.tenant !== undefined && !tenant) throw new OperatorError(`There is no tenant ${options.tenant}.`)
      const draft = {
        applicationId: application.id,
        tenantId: tenant?.id,
        kind: options.kind,
        name: options.name,
        clientId: options.clientId,
        requireNonce: options.requireNonce,
        userinfoInIdToken: options.userinfoInIdToken,
        requirePushedRequests: options.requirePushedRequests,
        requireSignedRequests: options.requireSignedRequests ?? false,
        requireDpop: options.requireDpop,
        tokenExchange: options.tokenExchange,
        ...toSettings(options),
      }
      const { client, clientSecret } = await ctx.db
        .transaction()
        .execute((tx) => registerClient(ctx, tx, draft, { source: OPERATOR_SOURCE }))
      console.log(`Client id:      ${client.clientId}`)
      if (clientSecret !== null) console.log(`Client secret:  ${clientSecret}\nThe secret is not shown again.`)
    })
  })

/** Omitted options use the defaults. */
const toSettings = ({
  redirectUri,
  postLogoutRedirectUri,
  origin,
  scope,
  responseMode,
  deviceFlow,
  backchannelLogoutUri,
  ...keys
}: CreateOptions) => ({
  ...(redirectUri && { redirectUris: redirectUri }),
  ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri }),
  ...(origin && { allowedOrigins: origin }),
  ...(scope && { scopes: scope }),
  ...(responseMode && { responseModes: responseMode }),
  ...(deviceFlow !== undefined && { deviceFlow }),
  ...(keys.authMethod && { tokenEndpointAuthMethod: keys.authMethod }),
  ...(keys.jwks && { jwks: readKeys(keys.jwks) }),
  ...(keys.jwksUri && { jwksUri: keys.jwksUri }),
  ...(keys.securityProfile && { securityProfile: keys.securityProfile }),
  ...(backchannelLogoutUri && { backchannelLogoutUri }),
})

function readKeys(file: string): PublicKeySet {
  const value = readJson(file)
  if (!isKeySet(value)) throw new OperatorError(`${file} is not a JWK Set: {"keys": [...]}.`)
  return value
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${file} cannot be read as JSON.`, { cause: error })
  }
}

const isKeySet = (value: unknown): value is PublicKeySet =>
  typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys)

const list = new Command('list').description('list the clients').action(async () => {
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
    const clients = await listAllClients(ctx)
    for (const { clientId, kind, applicationSlug, tenantSlug, name, disabled } of clients) {
      const notes = [tenantSlug && `tenant ${tenantSlug}`, disabled && 'disabled'].filter(Boolean)
      const end = notes.length > 0 ? `  (${notes.join(', ')})` : ''
      console.log(`${clientId.padEnd(28)} ${kind.padEnd(8)} ${applicationSlug.padEnd(20)} ${name}${end}`)
    }
    if (clients.length === 0) console.log('There are no clients yet.')
  })
})

const secret = new Command('secret')
  .description('add a secret to a client, which can have two')
  .argument('<client-id>', 'the client_id')
  .action(async (clientId: string) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const client = await findClient(ctx, clientId)
      if (!client) throw new OperatorError(`There is no client ${clientId}.`)
      const { clientSecret } = await addSecret(ctx, client.id, OPERATOR_SOURCE)
      console.log(`Client secret:  ${clientSecret}\nThe secret is not shown again.`)
    })
  })

export const clientCommand = new Command('client')
  .description('manage clients')
  .addCommand(create)
  .addCommand(list)
  .addCommand(secret)

import type { FastifyRequest } from 'fastify'
import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import { OAuthError } from '../../errors.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import { type Fields, toFields } from '../../lib/fields.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { startLogin, unsigned } from '../authorize.ts'
import { findRedirectTarget, readAuthorizeRequest } from '../authorize-request.ts'
import { authenticateClient } from '../client-auth.ts'
import { invalidProof } from '../dpop/proof.ts'
import { type Proof, readClientProof } from '../dpop/request-proof.ts'
import { loggingRefusals } from '../refusals.ts'
import { resolveRequestObject } from '../request-objects/resolve.ts'
import type { PushedRequestForm, PushedRequestResponse } from '../schema.ts'
import { type AuthorizationParameters, REQUEST_URI_PREFIX, sealPurpose } from './reference.ts'
import { insertPushedRequest } from './store.ts'

const LIFETIME_SECONDS = 60

/** For each client and network. Anybody can push requests of a public client. */
const PUBLIC_LIMIT = { name: 'pushed-requests', max: 300, seconds: 60 }
const CONFIDENTIAL_LIMIT = { ...PUBLIC_LIMIT, max: 6_000 }

const CREDENTIALS = ['client_secret', 'client_assertion', 'client_assertion_type']

/** The pushed authorization request endpoint (RFC 9126). */
export const answerPushedRequest = (
  ctx: Ctx,
  request: FastifyRequest,
  form: PushedRequestForm,
): Promise<PushedRequestResponse> => loggingRefusals(request, form.client_id, () => push(ctx, request, form))

async function push(ctx: Ctx, request: FastifyRequest, form: PushedRequestForm): Promise<PushedRequestResponse> {
  if (request.url.includes('?')) {
    throw new OAuthError('invalid_request', 'The parameters belong in the body.')
  }
  const client = await authenticate(ctx, request, form)
  if (client.kind === 'MACHINE') {
    throw new OAuthError('unauthorized_client', 'A client of kind MACHINE has no authorization requests.')
  }
  const limit = client.kind === 'SPA' ? PUBLIC_LIMIT : CONFIDENTIAL_LIMIT
  await countAgainstLimit(ctx.db, limit, `${client.id}:${clientNetwork(request)}`)
  const proof = readClientProof(ctx, request, client)
  const { fields: requested } = await readRequest(ctx, client, form)
  const fields = bindToProof(requested, proof)
  await checkRequest(ctx, request, fields)
  await proof?.use()
  const uri = REQUEST_URI_PREFIX + newSecret()
  const now = ctx.now()
  await insertPushedRequest(ctx.db, {
    hash: hashSecret(uri),
    clientId: client.id,
    sealedParameters: ctx.keys.seal(sealPurpose(client.id), JSON.stringify(fields.toObject())),
    now,
    expiresAt: new Date(now.getTime() + LIFETIME_SECONDS * 1000),
  })
  return { request_uri: uri, expires_in: LIFETIME_SECONDS }
}

/** The parameters of the form, or those of a request object in it (RFC 9126 §3). */
async function readRequest(ctx: Ctx, client: Client, form: PushedRequestForm): Promise<AuthorizationParameters> {
  const parameters = toFields({ ...withoutCredentials(form), client_id: client.clientId })
  // RFC 9126 §2.1.
  if (parameters.get('request_uri') !== undefined) {
    throw new OAuthError('invalid_request', 'A request_uri cannot be pushed.')
  }
  const resolved = await resolveRequestObject(ctx, parameters)
  if (resolved.refusal) throw resolved.refusal
  if (client.requireSignedRequests && !resolved.signed) throw unsigned()
  return resolved
}

/** RFC 9449 §10.1: a proof binds the code to its key, as `dpop_jkt` does. */
function bindToProof(fields: Fields, proof: Proof | undefined): Fields {
  if (!proof) return fields
  const { jkt } = proof
  if ((fields.get('dpop_jkt') ?? jkt) !== jkt) throw invalidProof('The dpop_jkt is not that of the DPoP proof.')
  return { ...toFields({ ...fields.toObject(), dpop_jkt: jkt }), repeated: fields.repeated }
}

/** The parameters without those that authenticate the client. */
const withoutCredentials = (form: PushedRequestForm): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) =>
      value === undefined || CREDENTIALS.includes(name) ? [] : [[name, value]],
    ),
  )

/** As at the token endpoint, but a failure is a 401 (RFC 6749 §5.2). */
async function authenticate(ctx: Ctx, request: FastifyRequest, form: PushedRequestForm): Promise<Client> {
  try {
    return (await authenticateClient(ctx, request, form)).client
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_client') throw error
    throw new OAuthError(error.code, error.message, { status: 401, headers: error.headers, facts: error.facts ?? {} })
  }
}

/** Checks the request as the authorization endpoint does, which checks it again when it is used. */
async function checkRequest(ctx: Ctx, httpRequest: FastifyRequest, fields: Fields): Promise<void> {
  const target = await findRedirectTarget(ctx, httpRequest, fields).catch((error) => {
    if (!(error instanceof OAuthError)) throw error
    throw new OAuthError(error.code, `The request cannot be answered: ${error.message}.`, { facts: error.facts ?? {} })
  })
  const request = await readAuthorizeRequest(ctx, target, fields)
  startLogin(ctx, request, { fields, pushed: '' })
}

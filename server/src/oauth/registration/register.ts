import type { FastifyRequest } from 'fastify'
import { registerClient } from '../../applications/clients/registration.ts'
import { useRegistrationToken } from '../../applications/registration-tokens/service.ts'
import { createApplication } from '../../applications/service.ts'
import { SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit, type RateLimit } from '../../db/limiter.ts'
import type { Tx } from '../../db/open.ts'
import { OAuthError } from '../../errors.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import { newId } from '../../lib/ids.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { loggingRefusals } from '../refusals.ts'
import { invalidToken, type PresentedRegistrationToken, requireRegistrationToken } from './access.ts'
import { checkSettings } from './checks.ts'
import { toInformation } from './information.ts'
import { type Members, type Metadata, readMetadata } from './metadata.ts'
import type { ClientInformation } from './schema.ts'
import { countRegistered, insertRegistration } from './store.ts'
import { removeUnusedClients } from './sweep.ts'

/** From one network, without a token. */
const FROM_NETWORK: RateLimit = { name: 'client-registrations', max: 30, seconds: 3600 }
/** Beyond it, nobody registers without a token. */
const MAX_REGISTERED = 10_000
/** At the limit, older clients that nobody has used are removed. Otherwise two networks could keep all others out. */
const UNUSED_AFTER_MS = 3_600_000
const REMOVAL_BATCH_SIZE = 100

/** The client registration endpoint (RFC 7591 §3). */
export const register = (ctx: Ctx, request: FastifyRequest, members: Members): Promise<ClientInformation> =>
  loggingRefusals(request, undefined, async () => {
    const presented = await requireRegistrationToken(ctx, request)
    const metadata = readMetadata(members)
    checkSettings(ctx, metadata.settings, presented?.token.redirectHosts ?? null)
    if (!presented) {
      await countAgainstLimit(ctx.db, FROM_NETWORK, clientNetwork(request))
      await removeUnusedIfFull(ctx)
    }
    const information = await ctx.db
      .transaction()
      .execute((tx) => registerInTx(ctx, tx, { request, metadata, presented }))
    await ctx.changes.waitUntilCurrent()
    return information
  })

async function removeUnusedIfFull(ctx: Ctx): Promise<void> {
  if ((await countRegistered(ctx.db)) < MAX_REGISTERED) return
  await removeUnusedClients(ctx, { olderThanMs: UNUSED_AFTER_MS, limit: REMOVAL_BATCH_SIZE })
}

interface RegistrationInput {
  request: FastifyRequest
  metadata: Metadata
  presented: PresentedRegistrationToken | undefined
}

async function registerInTx(
  ctx: Ctx,
  tx: Tx,
  { request, metadata: { settings, postsSecret }, presented }: RegistrationInput,
): Promise<ClientInformation> {
  // The update of the token locks it, so that simultaneous registrations cannot exceed its uses.
  if (presented && !(await useRegistrationToken(ctx, tx, presented.text))) throw invalidToken()
  if (!presented && (await countRegistered(tx)) >= MAX_REGISTERED) {
    throw new OAuthError('temporarily_unavailable', 'Too many clients are registered. An operator must delete some.')
  }
  const source = { actor: SYSTEM, request }
  const { id: applicationId } = await createApplication(
    ctx,
    tx,
    { name: settings.name, slug: `client-${newId()}`, trusted: false },
    source,
  )
  const { client, clientSecret } = await registerClient(
    ctx,
    tx,
    // A client cannot change these settings of an operator. PKCE does what the nonce would.
    { ...settings, applicationId, requireNonce: false, pkceMethods: ['S256'] },
    { origin: 'REGISTRATION', registrationTokenId: presented?.token.id, source },
  )
  // The prefix lets secret scanners recognize a leaked token.
  const accessToken = `lka_${newSecret()}`
  await insertRegistration(tx, {
    client_id: client.id,
    access_token_hash: hashSecret(accessToken),
    posts_secret: postsSecret,
    redirect_hosts: presented?.token.redirectHosts ?? null,
  })
  return toInformation(ctx, client, { accessToken, clientSecret, postsSecret })
}

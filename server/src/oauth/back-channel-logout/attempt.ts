import { type Client, findClient } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { newUniqueId } from '../../lib/ids.ts'
import { nextAttemptAt } from '../../lib/outgoing/backoff.ts'
import type { Guard } from '../../lib/outgoing/guard.ts'
import { post, toErrorCode } from '../../lib/outgoing/post.ts'
import { VERSION } from '../../lib/version.ts'
import { LOGOUT_ATTEMPTS } from './metrics.ts'
import { type DueLogout, releaseLogout, saveLogoutResult } from './store.ts'

/** OpenID Connect Back-Channel Logout §2.4 recommends at most two minutes. */
const TOKEN_SECONDS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Sends a logout token once, and saves the result. */
export async function attemptLogout(
  ctx: Ctx,
  guard: Guard,
  logout: DueLogout,
  abort: AbortSignal,
): Promise<{ responded: boolean }> {
  const startedAt = ctx.now()
  const client = await findClient(ctx, logout.clientId)
  const save = async (result: { status?: number; error?: string; next?: Date | undefined }, responded = true) => {
    const defaults = { status: undefined, error: undefined, next: undefined }
    await saveLogoutResult(ctx.db, logout, { ...defaults, ...result, startedAt, now: ctx.now() })
    return { responded }
  }
  if (!client || client.disabled) return save({ error: 'client_disabled' })
  if (client.backchannelLogoutUri === null) return save({ error: 'no_address' })
  const { status, error, retryAfter } = await send(ctx, guard, {
    client,
    url: client.backchannelLogoutUri,
    logout,
    abort,
  })
  const responded = status !== undefined
  // A request that was aborted because this node stops is not a failure of the client.
  if (abort.aborted && error !== undefined && !responded) {
    await releaseLogout(ctx.db, logout, ctx.now())
    return { responded }
  }
  ctx.metrics.count(LOGOUT_ATTEMPTS, { outcome: error === undefined ? 'delivered' : 'failed' })
  if (error === undefined) return save({ ...(responded && { status }) })
  const firstAttemptAt = logout.firstAttemptAt ?? startedAt
  const next = nextAttemptAt({ attempt: logout.attempts + 1, firstAttemptAt, now: ctx.now(), retryAfter })
  return save({ ...(responded && { status }), error, next }, responded)
}

interface Request {
  client: Client
  url: string
  logout: DueLogout
  abort: AbortSignal
}

interface Response {
  status?: number
  /** Undefined: the client has logged the user out. */
  error?: string
  retryAfter?: string | undefined
}

async function send(ctx: Ctx, guard: Guard, { client, url, logout, abort }: Request): Promise<Response> {
  // Outside the try block: an internal error is not a failure of the client.
  const body = new URLSearchParams({ logout_token: await signLogoutToken(ctx, client, logout) }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': `Latchkey/${VERSION}` }
  try {
    const { status, retryAfter } = await post(guard, { url, headers, body }, { stop: abort, readsBody: false })
    // §2.8: the status alone counts: 200, and 204 because some frameworks send it. 400 also says that the logout failed, so it is retried.
    return status === 200 || status === 204 ? { status } : { status, error: `status_${status}`, retryAfter }
  } catch (error) {
    return { error: toErrorCode(error, 'operator') }
  }
}

/** Each attempt has a token of its own, because it must be new when it arrives. */
async function signLogoutToken(ctx: Ctx, client: Client, { userId, sessionId }: DueLogout): Promise<string> {
  const iat = Math.floor(ctx.now().getTime() / 1000)
  const algorithm = await ctx.signer.chooseAlgorithm(client.signingAlgorithms)
  const claims = {
    iss: ctx.config.baseUrl,
    aud: client.clientId,
    iat,
    exp: iat + TOKEN_SECONDS,
    jti: newUniqueId(),
    sub: userId,
    sid: sessionId,
    events: { [EVENT]: {} },
  }
  return ctx.signer.sign('logout+jwt', claims, algorithm)
}

import type { FastifyRequest } from 'fastify'
import { type Client, findClient, isKnownPostLogoutUri } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { t } from '../languages/translate.ts'
import type { Fields } from '../lib/fields.ts'
import { type BrowserSession, endSession, findActingSession, forgetPerson } from '../sessions/browser-session.ts'
import { clearSupportCookie, endSupportSession } from '../sessions/support/session.ts'
import { SUPPORT_PATH } from '../ui/support-banner.tsx'
import { endGrantsOfSession } from './grants/end-grant.ts'
import { findIdTokenHint, type IdTokenHint } from './id-token-hint.ts'

/** The outcome of a logout request (OpenID Connect RP-Initiated Logout 1.0). */
export type LogoutOutcome =
  /** Without a valid hint the user must confirm. `returnTo` is offered as a link afterwards. */
  | ({ kind: 'ask'; session: BrowserSession; returnTo: string | undefined } & LogoutPageInfo)
  | { kind: 'redirect'; to: string }
  /** Signed out, without a redirect. */
  | ({ kind: 'out' } & LogoutPageInfo)

interface LogoutPageInfo {
  /** The requested URL is not registered. The page says so instead of redirecting. */
  isReturnRefused: boolean
  /** The client that requested the logout, if known. */
  clientId: string | undefined
}

export async function logOut(ctx: Ctx, exchange: Exchange, fields: Fields): Promise<LogoutOutcome> {
  if (fields.repeated.length > 0) {
    throw new AppError('INVALID_REQUEST', { message: t('A parameter was sent more than once.') })
  }
  const session = await findActingSession(ctx, exchange)
  const hintToken = fields.get('id_token_hint')
  const hint = hintToken === undefined ? undefined : await findMatchingHint(ctx, hintToken, fields.get('client_id'))
  const clientId = fields.get('client_id') ?? hint?.clientId
  const returnTo = await findReturnUrl(ctx, fields, clientId)
  const isReturnRefused = returnTo === undefined && fields.get('post_logout_redirect_uri') !== undefined
  const isVouchedFor = hint && (!session || session.userId === hint.userId)
  if (isVouchedFor) await endByHint(ctx, exchange, { session, hint })
  // The page has a button to end support access. The operator stays signed in.
  else if (session?.support) return { kind: 'redirect', to: SUPPORT_PATH }
  else if (session) return { kind: 'ask', session, returnTo, isReturnRefused, clientId }
  // A request with an invalid hint is not redirected. Anybody may have registered the URL of some clients.
  const isTrustworthy = isVouchedFor || (hintToken === undefined && (await isAdministered(ctx, clientId)))
  return isTrustworthy && returnTo !== undefined
    ? { kind: 'redirect', to: returnTo }
    : { kind: 'out', isReturnRefused, clientId }
}

async function findMatchingHint(
  ctx: Ctx,
  token: string,
  clientId: string | undefined,
): Promise<IdTokenHint | undefined> {
  const hint = await findIdTokenHint(ctx, token)
  return hint && (clientId === undefined || clientId === hint.clientId) ? hint : undefined
}

/** The requested return URL, if the client has registered exactly this one; without a client_id, if any client has. */
async function findReturnUrl(ctx: Ctx, fields: Fields, clientId: string | undefined): Promise<string | undefined> {
  const uri = fields.get('post_logout_redirect_uri')
  if (uri === undefined) return undefined
  const isRegistered =
    clientId === undefined
      ? await isKnownPostLogoutUri(ctx, uri)
      : hasPostLogoutUri(await findClient(ctx, clientId), uri)
  return isRegistered ? withState(uri, fields) : undefined
}

/** Without a client_id, only URLs of such clients are known. */
const isAdministered = async (ctx: Ctx, clientId: string | undefined): Promise<boolean> =>
  clientId === undefined || (await findClient(ctx, clientId))?.origin === 'ADMIN'

const hasPostLogoutUri = (client: Client | undefined, uri: string): boolean =>
  client !== undefined && !client.disabled && client.postLogoutRedirectUris.includes(uri)

async function endByHint(
  ctx: Ctx,
  exchange: Exchange,
  { session, hint }: { session: BrowserSession | undefined; hint: IdTokenHint },
): Promise<void> {
  const { request } = exchange
  // Without a session cookie in the request, no cookie is cleared: it may belong to another user.
  if (!session) return endWithoutCookie(ctx, hint, request)
  if (session.support) {
    await endSupportSession(ctx, session.id, request)
    return clearSupportCookie(ctx, exchange)
  }
  await endSession(ctx, session.id, request)
  await forgetPerson(ctx, exchange)
}

/**
 * Without a cookie, as in a server-side call, the hint identifies the session. A trusted application ends the whole
 * session. A third-party application ends only its own grants.
 */
async function endWithoutCookie(ctx: Ctx, hint: IdTokenHint, request: FastifyRequest): Promise<void> {
  const client = await findClient(ctx, hint.clientId)
  if (!client) return
  if (client.trusted && !client.disabled) return endSession(ctx, hint.sessionId, request)
  await endGrantsOfSession(ctx, { client, hint, request })
}

function withState(uri: string, fields: Fields): string {
  const state = fields.get('state')
  if (state === undefined) return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`
}

import { findClient, knowsPostLogoutUri } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Fields } from '../lib/fields.ts'
import {
  type BrowserSession,
  endSession,
  findBrowserSession,
  forgetCookie,
} from '../sessions/browser-session.ts'
import { findHint, type Hint } from './id-token-hint.ts'

/** What comes of a request to log out (OpenID Connect RP-Initiated Logout 1.0). */
export type LogoutOutcome =
  /** Nobody vouches for the request: the person is asked. */
  | ({ kind: 'ask'; session: BrowserSession } & Aftermath)
  | { kind: 'redirect'; to: string }
  /** Nobody is signed in any more; `returnTo` may be offered as a link. */
  | ({ kind: 'out' } & Aftermath)

interface Aftermath {
  returnTo: string | undefined
  /** Whose application they leave, as far as that was said. */
  clientId: string | undefined
}

export async function logOut(ctx: Ctx, exchange: Exchange, fields: Fields): Promise<LogoutOutcome> {
  if (fields.repeated.length > 0) {
    throw new AppError('INVALID_REQUEST', { message: 'A parameter was sent more than once.' })
  }
  const session = await findBrowserSession(ctx, exchange)
  const shown = fields.get('id_token_hint')
  const hint = shown === undefined ? undefined : await findGenuineHint(ctx, shown, fields.get('client_id'))
  const clientId = fields.get('client_id') ?? hint?.clientId
  if (hint && (!session || session.userId === hint.userId)) {
    // Without a cookie, as when a program asks, the hint itself names the session.
    await endSession(ctx, session?.id ?? hint.sessionId, exchange.request)
    // A cookie that was not sent may be somebody else's.
    if (session) forgetCookie(ctx, exchange.reply)
    const to = await registeredAddress(ctx, hint, fields)
    return to === undefined ? { kind: 'out', returnTo: undefined, clientId } : { kind: 'redirect', to }
  }
  const returnTo = await knownAddress(ctx, fields)
  if (session) return { kind: 'ask', session, returnTo, clientId }
  // Nothing to end. A hint that is not ours is no reason to lead anybody anywhere.
  if (shown === undefined && returnTo !== undefined) return { kind: 'redirect', to: returnTo }
  return { kind: 'out', returnTo: undefined, clientId }
}

async function findGenuineHint(
  ctx: Ctx,
  token: string,
  clientId: string | undefined,
): Promise<Hint | undefined> {
  const hint = await findHint(ctx, token)
  return hint && (clientId === undefined || clientId === hint.clientId) ? hint : undefined
}

/** The address to return to, if the hint's client has registered exactly this one. */
async function registeredAddress(ctx: Ctx, hint: Hint, fields: Fields): Promise<string | undefined> {
  const uri = fields.get('post_logout_redirect_uri')
  const client = await findClient(ctx, hint.clientId)
  const registered =
    uri !== undefined && client && !client.disabled && client.postLogoutRedirectUris.includes(uri)
  return registered ? withState(uri, fields) : undefined
}

/** The address to return to, if some client has registered exactly this one. */
async function knownAddress(ctx: Ctx, fields: Fields): Promise<string | undefined> {
  const uri = fields.get('post_logout_redirect_uri')
  return uri !== undefined && (await knowsPostLogoutUri(ctx, uri)) ? withState(uri, fields) : undefined
}

function withState(uri: string, fields: Fields): string {
  const state = fields.get('state')
  if (state === undefined) return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`
}

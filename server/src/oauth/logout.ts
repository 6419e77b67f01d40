import type { FastifyRequest } from 'fastify'
import { type Client, findClient, knowsPostLogoutUri } from '../applications/clients.ts'
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
import { endGrantsOfSession } from './grants/ending.ts'
import { findHint, type Hint } from './id-token-hint.ts'

/** What comes of a request to log out (OpenID Connect RP-Initiated Logout 1.0). */
export type LogoutOutcome =
  /** Nobody vouches for the request: the person is asked. `returnTo` may be offered as a link afterwards. */
  | ({ kind: 'ask'; session: BrowserSession; returnTo: string | undefined } & PageFacts)
  | { kind: 'redirect'; to: string }
  /** Nobody is signed in any more. */
  | ({ kind: 'out' } & PageFacts)

interface PageFacts {
  /** An address was asked for that is not registered: nobody is led there, and the page says why. */
  isAddressRefused: boolean
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
  const returnTo = await findAddress(ctx, fields, clientId)
  const isAddressRefused = returnTo === undefined && fields.get('post_logout_redirect_uri') !== undefined
  const vouched = hint && (!session || session.userId === hint.userId)
  if (vouched) await endByHint(ctx, exchange, { session, hint })
  else if (session) return { kind: 'ask', session, returnTo, isAddressRefused, clientId }
  // A hint that is not ours is no reason to lead anybody anywhere.
  const isTrustworthy = vouched || shown === undefined
  return isTrustworthy && returnTo !== undefined
    ? { kind: 'redirect', to: returnTo }
    : { kind: 'out', isAddressRefused, clientId }
}

async function findGenuineHint(
  ctx: Ctx,
  token: string,
  clientId: string | undefined,
): Promise<Hint | undefined> {
  const hint = await findHint(ctx, token)
  return hint && (clientId === undefined || clientId === hint.clientId) ? hint : undefined
}

/** The address to return to, if the client has registered exactly this one; where none is named, any client. */
async function findAddress(
  ctx: Ctx,
  fields: Fields,
  clientId: string | undefined,
): Promise<string | undefined> {
  const uri = fields.get('post_logout_redirect_uri')
  if (uri === undefined) return undefined
  const isRegistered =
    clientId === undefined
      ? await knowsPostLogoutUri(ctx, uri)
      : listsAddress(await findClient(ctx, clientId), uri)
  return isRegistered ? withState(uri, fields) : undefined
}

const listsAddress = (client: Client | undefined, uri: string): boolean =>
  client !== undefined && !client.disabled && client.postLogoutRedirectUris.includes(uri)

async function endByHint(
  ctx: Ctx,
  { request, reply }: Exchange,
  { session, hint }: { session: BrowserSession | undefined; hint: Hint },
): Promise<void> {
  // A cookie that was not sent may be somebody else's, and is left alone.
  if (!session) return endWithoutCookie(ctx, hint, request)
  await endSession(ctx, session.id, request)
  forgetCookie(ctx, reply)
}

/**
 * Without a cookie, as when a program asks, the hint names the session. An application of ours ends all of it. The server
 * of a third-party one ends what was given to that client: the person may not even know that it asks.
 */
async function endWithoutCookie(ctx: Ctx, hint: Hint, request: FastifyRequest): Promise<void> {
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

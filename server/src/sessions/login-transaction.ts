import type { Ctx } from '../context.ts'
import type { Language } from '../languages/languages.ts'
import { sealText, unsealText } from '../lib/seal.ts'

/**
 * A sign-in that was started by another page, and where it continues afterwards. It travels encrypted in the URL of each
 * page, so that every tab has its own, a reload or the back button loses nothing, and nobody can redirect it.
 */
export interface LoginTransaction {
  /** The path of this service where it continues. */
  next: string
  startedAt: number
  /** The name of the application, the client, and the email address that the client expects. */
  application?: string | undefined
  clientId?: string | undefined
  loginHint?: string | undefined
  /** What the client asked for (`ui_locales`). */
  language?: Language | undefined
  /** The slug of the tenant, if the client named one. */
  tenant?: string | undefined
  /** The maximum age of the sign-in in seconds; 0: it must be a new one. */
  maxAge?: number | undefined
  /** A user who is signed in must sign in again. */
  mustReauthenticate?: boolean
  /** Origins that a form of these pages may lead to. */
  formTargets: string[]
  /** What the path in `next` needs to continue. */
  state: unknown
}

const PURPOSE = 'journey'
export const LOGIN_MAX_AGE_MS = 24 * 3_600_000

/** Undefined for anything that this service did not issue, or that is older than a day. */
export function readLoginTransaction(ctx: Ctx, sealed: string | undefined): LoginTransaction | undefined {
  const text = unsealText(ctx.keys, PURPOSE, sealed)
  const login = text === undefined ? undefined : fromWire(JSON.parse(text))
  return login && ctx.now().getTime() - login.startedAt < LOGIN_MAX_AGE_MS ? login : undefined
}

/** With `mustReauthenticate`, the user signs in again although there is a session. */
export const signInUrl = (
  ctx: Ctx,
  login: LoginTransaction,
  { mustReauthenticate }: { mustReauthenticate: boolean } = { mustReauthenticate: false },
): string => urlWithLogin(ctx, '/login', { ...login, mustReauthenticate })

export const sealLogin = (ctx: Ctx, login: LoginTransaction): string =>
  sealText(ctx.keys, PURPOSE, JSON.stringify(toWire(login)))

/** The URL of a page that continues this login. */
export const urlWithLogin = (ctx: Ctx, path: string, login: LoginTransaction): string =>
  `${path}?journey=${sealLogin(ctx, login)}`

export const pageUrl = (ctx: Ctx, path: string, login: LoginTransaction | undefined): string =>
  login ? urlWithLogin(ctx, path, login) : path

// In a rolling upgrade, nodes of this and of earlier releases read each other's URLs. So the names in them stay.

const toWire = ({ state, mustReauthenticate, ...login }: LoginTransaction) => ({
  ...login,
  again: mustReauthenticate,
  luggage: state,
})

const fromWire = ({ again, luggage, ...login }: ReturnType<typeof toWire>): LoginTransaction => ({
  ...login,
  ...(again !== undefined && { mustReauthenticate: again }),
  state: luggage,
})

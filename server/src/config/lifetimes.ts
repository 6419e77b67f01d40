import type { Reader } from './reader.ts'

/** How long things last, in seconds. An application may have its own for its tokens. */
export interface Lifetimes {
  readonly accessToken: number
  readonly idToken: number
  readonly refreshTokenIdle: number
  readonly refreshToken: number
  readonly sessionIdle: number
  readonly session: number
  readonly emailLink: number
  readonly passwordReset: number
  readonly invitation: number
}

const HOUR = 3_600
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** No access or ID token outlives this, in seconds: keys and grants are kept as long after their end. */
export const LONGEST_TOKEN = DAY

const LIFETIMES: Record<keyof Lifetimes, { variable: string; fallback: number; max: number; what: string }> =
  {
    accessToken: { variable: 'ACCESS_TOKEN_TTL', fallback: 900, max: LONGEST_TOKEN, what: 'an access token' },
    idToken: { variable: 'ID_TOKEN_TTL', fallback: HOUR, max: LONGEST_TOKEN, what: 'an ID token' },
    refreshTokenIdle: {
      variable: 'REFRESH_TOKEN_IDLE_TTL',
      fallback: 30 * DAY,
      max: YEAR,
      what: 'a refresh token that is not used',
    },
    refreshToken: {
      variable: 'REFRESH_TOKEN_TTL',
      fallback: 90 * DAY,
      max: YEAR,
      what: 'refresh tokens from one sign-in, however often used',
    },
    sessionIdle: {
      variable: 'SESSION_IDLE_TTL',
      fallback: 14 * DAY,
      max: YEAR,
      what: 'a browser session that is not used',
    },
    session: { variable: 'SESSION_TTL', fallback: 90 * DAY, max: YEAR, what: 'a browser session' },
    emailLink: {
      variable: 'EMAIL_LINK_TTL',
      fallback: DAY,
      max: 30 * DAY,
      what: 'the link that confirms an e-mail address',
    },
    passwordReset: {
      variable: 'PASSWORD_RESET_TTL',
      fallback: HOUR,
      max: DAY,
      what: 'the link that resets a password',
    },
    invitation: {
      variable: 'INVITATION_TTL',
      fallback: 7 * DAY,
      max: 90 * DAY,
      what: 'an invitation for which nobody said how long',
    },
  }

/** What the docs say about them. */
export const LIFETIME_VARIABLES = Object.fromEntries(
  Object.values(LIFETIMES).map(({ variable, fallback, what }) => [
    variable,
    `seconds for which ${what} is good (${fallback})`,
  ]),
)

export function readLifetimes(read: Reader): Lifetimes {
  const entries = Object.entries(LIFETIMES).map(([name, { variable, fallback, max }]) => [
    name,
    read.integer(variable, { fallback, min: 60, max }),
  ])
  return Object.fromEntries(entries) as Lifetimes
}

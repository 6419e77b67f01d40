import type { Reader } from './reader.ts'

/** Lifetimes in seconds. An application may override those of its tokens. */
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

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS
const YEAR_SECONDS = 365 * DAY_SECONDS

/** The maximum lifetime of access and ID tokens in seconds. Keys and grants are kept this long after their end. */
export const MAX_TOKEN_LIFETIME_SECONDS = DAY_SECONDS

const LIFETIMES: Record<keyof Lifetimes, { variable: string; fallback: number; max: number; subject: string }> = {
  accessToken: {
    variable: 'ACCESS_TOKEN_TTL',
    fallback: 900,
    max: MAX_TOKEN_LIFETIME_SECONDS,
    subject: 'an access token',
  },
  idToken: {
    variable: 'ID_TOKEN_TTL',
    fallback: HOUR_SECONDS,
    max: MAX_TOKEN_LIFETIME_SECONDS,
    subject: 'an ID token',
  },
  refreshTokenIdle: {
    variable: 'REFRESH_TOKEN_IDLE_TTL',
    fallback: 30 * DAY_SECONDS,
    max: YEAR_SECONDS,
    subject: 'a refresh token that is not used',
  },
  refreshToken: {
    variable: 'REFRESH_TOKEN_TTL',
    fallback: 90 * DAY_SECONDS,
    max: YEAR_SECONDS,
    subject: 'a family of refresh tokens from one sign-in',
  },
  sessionIdle: {
    variable: 'SESSION_IDLE_TTL',
    fallback: 14 * DAY_SECONDS,
    max: YEAR_SECONDS,
    subject: 'a browser session that is not used',
  },
  session: {
    variable: 'SESSION_TTL',
    fallback: 90 * DAY_SECONDS,
    max: YEAR_SECONDS,
    subject: 'a browser session',
  },
  emailLink: {
    variable: 'EMAIL_LINK_TTL',
    fallback: DAY_SECONDS,
    max: 30 * DAY_SECONDS,
    subject: "the link that confirms an address, or chooses a password after an administrator's action,",
  },
  passwordReset: {
    variable: 'PASSWORD_RESET_TTL',
    fallback: HOUR_SECONDS,
    max: DAY_SECONDS,
    subject: "the link that resets a password at the person's own request",
  },
  invitation: {
    variable: 'INVITATION_TTL',
    fallback: 7 * DAY_SECONDS,
    max: 90 * DAY_SECONDS,
    subject: 'an invitation without its own lifetime',
  },
}

/** Descriptions for the docs. */
export const LIFETIME_VARIABLES = Object.fromEntries(
  Object.values(LIFETIMES).map(({ variable, fallback, subject }) => [
    variable,
    `seconds for which ${subject} is valid (${fallback})`,
  ]),
)

export function readLifetimes(read: Reader): Lifetimes {
  const entries = Object.entries(LIFETIMES).map(([name, { variable, fallback, max }]) => [
    name,
    read.integer(variable, { fallback, min: 60, max }),
  ])
  return Object.fromEntries(entries) as Lifetimes
}

import { parseTotpSecret } from '../../users/factors/totp.ts'
import { passwordHashProblem } from '../../users/password-hashes.ts'
import { PROFILE_FIELD_NAMES, PROFILE_FIELDS, type ProfileFieldName } from '../../users/profile-fields.ts'
import type { Membership, Row } from '../row.ts'
import { type Place, toText } from './items.ts'

/** A user of another system. */
export interface ProviderUser {
  email: unknown
  emailVerified: boolean
  disabled: boolean
  profile: Partial<Record<ProfileFieldName, unknown>>
  /** In a notation of this system. */
  passwordHash?: string | undefined
  /** Of the authenticator app, in base32. */
  totpSecret?: string | undefined
  memberships: Membership[]
  /** What the user does not get here. */
  losses: string[]
}

/**
 * The row of the user. What is not usable is left out and reported, because a user without a nickname or a password is
 * better than no user.
 */
export function toRow({ line, place }: Place, user: ProviderUser): Row {
  const losses = [...user.losses]
  const totpSecret = user.totpSecret === undefined ? undefined : parseTotpSecret(user.totpSecret)
  if (user.totpSecret !== undefined && totpSecret === undefined) {
    losses.push('the authenticator app is left out: its secret is not valid base32 of at least 10 bytes')
  }
  const memberships = user.emailVerified ? user.memberships : []
  if (memberships.length < user.memberships.length) {
    const slugs = user.memberships.map(({ tenant }) => tenant).join(', ')
    losses.push(`is not a member of ${slugs}: the address must be verified first`)
  }
  const values = {
    email: user.email,
    emailVerified: user.emailVerified,
    disabled: user.disabled,
    passwordHash: toUsableHash(user.passwordHash, losses),
    ...toUsableProfile(user.profile, losses),
  }
  return { line, place, values, memberships, totpSecret, losses }
}

function toUsableHash(passwordHash: string | undefined, losses: string[]): string | undefined {
  const problem = passwordHash === undefined ? undefined : passwordHashProblem(passwordHash)
  if (problem === undefined) return passwordHash
  losses.push(`the password is left out: ${problem.replace(/\.$/, '')}`)
  return undefined
}

function toUsableProfile(profile: ProviderUser['profile'], losses: string[]): ProviderUser['profile'] {
  const usable = PROFILE_FIELD_NAMES.flatMap((name) => {
    const text = toText(profile[name])?.trim()
    if (text === undefined) return []
    if (PROFILE_FIELDS[name].read(text) !== undefined) return [[name, text]]
    losses.push(`${name} is left out: it ${PROFILE_FIELDS[name].rule}`)
    return []
  })
  return Object.fromEntries(usable)
}

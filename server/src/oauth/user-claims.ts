import type { Selectable } from 'kysely'
import type { UsersTable } from '../db/tables.ts'
import { toDisplayName } from '../lib/display-name.ts'
import type { UserInfo } from './schema.ts'

/** The user columns that the claims are made of. */
export const CLAIM_COLUMNS = [
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.middle_name',
  'users.nickname',
  'users.picture_url',
  'users.website',
  'users.gender',
  'users.birthdate',
  'users.zoneinfo',
  'users.locale',
  'users.updated_at',
] as const

type ColumnName<C> = C extends `users.${infer Name}` ? Name : never
export type ClaimColumns = Pick<
  Selectable<UsersTable>,
  ColumnName<(typeof CLAIM_COLUMNS)[number]> & keyof Selectable<UsersTable>
>

export const PROFILE_CLAIMS = [
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'updated_at',
]
export const EMAIL_CLAIMS = ['email', 'email_verified']

/** The scope that grants a claim about a user; undefined for any other claim. */
export function scopeOfClaim(name: string): string | undefined {
  if (PROFILE_CLAIMS.includes(name)) return 'profile'
  return EMAIL_CLAIMS.includes(name) ? 'email' : undefined
}

/** The claims about a user that the scopes grant (OpenID Connect Core §5.4), and those requested by name (§5.5). */
export function toUserClaims(user: ClaimColumns, scopes: string[], names: string[] = []): Omit<UserInfo, 'sub'> {
  const granted = {
    ...(scopes.includes('profile') && toProfileClaims(user)),
    ...(scopes.includes('email') && toEmailClaims(user)),
  }
  if (names.length === 0) return granted
  const all = Object.entries({ ...toProfileClaims(user), ...toEmailClaims(user) })
  return { ...granted, ...Object.fromEntries(all.filter(([name]) => names.includes(name))) }
}

const toEmailClaims = ({ email, email_verified }: ClaimColumns) => ({ email, email_verified })

function toProfileClaims(user: ClaimColumns): Partial<UserInfo> {
  const claims = {
    name: toDisplayName(user),
    given_name: user.given_name,
    family_name: user.family_name,
    middle_name: user.middle_name,
    nickname: user.nickname,
    picture: user.picture_url,
    website: user.website,
    gender: user.gender,
    birthdate: user.birthdate,
    zoneinfo: user.zoneinfo ?? 'UTC',
    locale: user.locale ?? 'en',
    updated_at: Math.floor(user.updated_at.getTime() / 1000),
  }
  // A claim without a value is left out (OpenID Connect Core §5.3.2).
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null))
}

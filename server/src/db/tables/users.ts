import type { ColumnType, Generated } from 'kysely'
import type { Fixed } from './columns.ts'

export interface UsersTable {
  id: Fixed<string>
  email: string
  email_verified: boolean
  display_name: string | null
  given_name: string | null
  family_name: string | null
  middle_name: string | null
  nickname: string | null
  username: string | null
  picture_url: string | null
  website: string | null
  gender: string | null
  birthdate: string | null
  zoneinfo: string | null
  locale: string | null
  phone: string | null
  phone_verified: Generated<boolean>
  password_hash: string | null
  is_super_admin: boolean
  disabled: Generated<boolean>
  password_sign_in: Generated<boolean>
  contested: Generated<boolean>
  deletion_requested_at: ColumnType<Date | null, never, Date | null>
  created_at: Fixed<Date>
  updated_at: Date
  /** A generated column. */
  found_by: ColumnType<string, never, never>
}

/** Maintained by a trigger. */
export interface UserTermsTable {
  term: ColumnType<string, never, never>
  created_at: ColumnType<Date, never, never>
  user_id: ColumnType<string, never, never>
  email: ColumnType<string, never, never>
  disabled: ColumnType<boolean, never, never>
  email_verified: ColumnType<boolean, never, never>
  is_super_admin: ColumnType<boolean, never, never>
  leaving: ColumnType<boolean, never, never>
}

/** A trigger inserts rows, and a job sums them up. */
export interface UserCountsTable {
  id: Generated<string>
  change: ColumnType<string, number | string, never>
}

export interface Names {
  display_name: string | null
  given_name: string | null
  family_name: string | null
}

export interface MailedLinksTable {
  hash: Fixed<Buffer>
  purpose: Fixed<string>
  user_id: Fixed<string>
  email: Fixed<string>
  password_hash: string | null
  names: ColumnType<Names | null, string | null | undefined, never>
  mailed_at: Fixed<Date | null>
  expires_at: Fixed<Date>
}

export interface AwaitedLinksTable {
  secret_hash: Fixed<Buffer>
  purpose: Fixed<'verify-email' | 'reset-password'>
  user_id: Fixed<string | null>
  password_hash: Fixed<string | null>
  sealed: Fixed<Buffer>
  mailed_at: Date
  created_at: Fixed<Date>
  expires_at: Date
}

export interface TotpSecretsTable {
  user_id: Fixed<string>
  sealed_secret: Buffer
  session_id: string | null
  created_at: Date
  confirmed_at: Date | null
  last_step: ColumnType<string, number | undefined, number>
}

export interface RecoveryCodesTable {
  user_id: Fixed<string>
  hash: Fixed<Buffer>
}

export interface PasskeysTable {
  id: Fixed<string>
  user_id: Fixed<string>
  credential_id: Fixed<string>
  public_key: Fixed<Buffer>
  sign_count: ColumnType<string, number, number>
  transports: Fixed<string[]>
  backed_up: boolean
  name: string
  created_at: Fixed<Date>
  last_used_at: Date | null
}

export type PasskeyPurpose = 'enrol' | 'sign-in' | 'second-factor'

export interface PasskeyChallengesTable {
  hash: Fixed<Buffer>
  purpose: Fixed<PasskeyPurpose>
  user_id: Fixed<string | null>
  expires_at: Fixed<Date>
}

export interface KnownDevicesTable {
  user_id: Fixed<string>
  hash: Fixed<Buffer>
  last_seen_at: Date
}

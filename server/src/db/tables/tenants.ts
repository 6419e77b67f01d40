import type { ColumnType, Generated } from 'kysely'
import type { Fixed, Json } from './columns.ts'

export type MfaPolicy = 'OPTIONAL' | 'REQUIRED'

export interface TenantsTable {
  id: Fixed<string>
  slug: string
  name: string
  mfa_policy: Generated<MfaPolicy>
  settings: ColumnType<Json, string | undefined, string>
  suspended_at: ColumnType<Date | null, never, Date | null>
  /** An operator allows the tenant's branding on pages before the sign-in. */
  branding_approved: ColumnType<boolean, never, boolean>
  /** Members may sign in with a mailed code. */
  email_codes: ColumnType<boolean, never, boolean>
  /** Operators may act as members, for support. */
  support_access: ColumnType<boolean, never, boolean>
  /** The language of hosted pages and mails for people who have not chosen one. */
  language: ColumnType<string | null, never, string | null>
  /** The end of the last suspension. */
  reactivated_at: ColumnType<Date | null, never, Date>
  /** This session may act without the required second factor until `mfa_grace_until`. */
  mfa_grace_session_id: ColumnType<string | null, never, string | null>
  mfa_grace_until: ColumnType<Date | null, never, Date | null>
  /** The lower-cased name, for sorting and search; not unique. Maintained by a trigger. */
  name_key: ColumnType<string, never, never>
  created_at: Fixed<Date>
  updated_at: Date
}

export type Role = 'owner' | 'admin' | 'member'

export type MembershipStatus = 'ACTIVE' | 'INVITED' | 'SUSPENDED'

export interface MembershipsTable {
  id: Fixed<string>
  tenant_id: Fixed<string>
  user_id: Fixed<string>
  role: Role
  status: MembershipStatus
  joined_at: Date | null
  invited_until: ColumnType<Date | null, Date | null | undefined, Date | null>
  created_at: Fixed<Date>
  updated_at: Date
}

/** Maintained by a trigger. */
export interface MemberCountsTable {
  tenant_id: ColumnType<string, never, never>
  status: ColumnType<MembershipStatus, never, never>
  role: ColumnType<Role, never, never>
  count: ColumnType<string, never, never>
  shuffles: ColumnType<string, never, never>
}

export type InvitationStatus = 'PENDING' | 'ACCEPTED' | 'REVOKED' | 'EXPIRED'

export interface InvitationsTable {
  id: Fixed<string>
  tenant_id: Fixed<string>
  email: Fixed<string>
  role: Role
  status: InvitationStatus
  token_hash: Buffer
  lifetime: Fixed<number>
  user_id: string | null
  invited_by: Fixed<string | null>
  /** The license type of the seat that the invitation includes. */
  license_type_id: Generated<string | null>
  created_at: Fixed<Date>
  expires_at: Date
}

export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** The branding of an application or a tenant. Either all logo columns are set or none. */
/** The ready looks of the hosted pages: see ui/themes.ts. */
export type Theme = 'classic' | 'soft' | 'crisp'

export interface BrandingsTable {
  /** A generated column. */
  owner_id: ColumnType<string, never, never>
  application_id: Fixed<string | null>
  tenant_id: Fixed<string | null>
  display_name: string | null
  color: string | null
  theme: Theme | null
  logo: Buffer | null
  logo_type: LogoType | null
  logo_hash: string | null
  logo_width: number | null
  logo_height: number | null
  updated_at: Date
}

/** The edited texts of a kind of mail. Null is the default. */
export interface MailTemplatesTable {
  kind: Fixed<string>
  subject: string | null
  heading: string | null
  body: string | null
  button: string | null
  updated_at: Date
}

export interface TenantMailTemplatesTable extends MailTemplatesTable {
  tenant_id: Fixed<string>
}

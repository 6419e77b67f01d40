import type { ColumnType, Generated } from 'kysely'

/** A column that the service writes once, when it makes the row. */
type Fixed<T> = ColumnType<T, T, never>

type Json = Record<string, unknown>

export interface InstanceFactsTable {
  name: Fixed<string>
  created_at: ColumnType<Date, never, never>
}

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
  /** Kept by the database itself. */
  found_by: ColumnType<string, never, never>
}

/** Kept by the database itself. */
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

/** Added to by the database itself, and put together by a job. */
export interface UserCountsTable {
  id: Generated<string>
  change: ColumnType<string, number | string, never>
}

export type MfaPolicy = 'OPTIONAL' | 'REQUIRED'

export interface TenantsTable {
  id: Fixed<string>
  slug: string
  name: string
  mfa_policy: Generated<MfaPolicy>
  settings: ColumnType<Json, string | undefined, string>
  suspended_at: ColumnType<Date | null, never, Date | null>
  /** Whether an operator lets its branding be shown before the sign-in. */
  branding_approved: ColumnType<boolean, never, boolean>
  /** When the last suspension was ended. */
  reactivated_at: ColumnType<Date | null, never, Date>
  /** The session that may act without the second factor that the policy requires, and until when. */
  mfa_grace_session_id: ColumnType<string | null, never, string | null>
  mfa_grace_until: ColumnType<Date | null, never, Date | null>
  /** Kept by the database itself. */
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

/** Kept by the database itself. */
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
  /** The seat that comes with it. */
  license_type_id: Generated<string | null>
  created_at: Fixed<Date>
  expires_at: Date
}

export type LicensingMode = 'PER_SEAT' | 'TENANT_WIDE' | 'FREE'

export interface ApplicationsTable {
  id: Fixed<string>
  slug: string
  name: string
  trusted: Generated<boolean>
  licensing_mode: Generated<LicensingMode>
  /** Brought along by the service itself. */
  built_in: Generated<boolean>
  access_token_ttl: number | null
  id_token_ttl: number | null
  refresh_token_idle_ttl: number | null
  refresh_token_ttl: number | null
  created_at: Fixed<Date>
  updated_at: Date
}

export type ClientKind = 'SPA' | 'WEB' | 'MACHINE'
export type PkceMethod = 'S256' | 'plain'

export interface ClientsTable {
  id: Fixed<string>
  client_id: Fixed<string>
  application_id: Fixed<string>
  kind: Fixed<ClientKind>
  name: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  allowed_origins: string[]
  scopes: string[]
  tenant_id: Fixed<string | null>
  require_nonce: boolean
  pkce_methods: PkceMethod[]
  disabled: boolean
  created_at: Fixed<Date>
  updated_at: Date
}

export interface ClientSecretsTable {
  id: Fixed<string>
  client_id: Fixed<string>
  hash: Fixed<Buffer>
  created_at: Fixed<Date>
}

export interface SigningKeysTable {
  kid: Fixed<string>
  public_jwk: ColumnType<Record<string, unknown>, string, never>
  sealed_private_key: Buffer | null
  created_at: Fixed<Date>
  activates_at: Date
}

export interface SessionsTable {
  id: Fixed<string>
  user_id: Fixed<string>
  secret_hash: Buffer
  secret_since: Date
  previous_secret_hash: Buffer | null
  previous_valid_until: Date | null
  auth_time: Date
  auth_time_assumed: Generated<boolean>
  amr: string[]
  user_agent: string
  ip_address: string
  network: string
  created_at: Fixed<Date>
  last_active_at: Date
  cookie_used_at: Date
}

export interface ConsentsTable {
  user_id: Fixed<string>
  application_id: Fixed<string>
  tenant_id: Fixed<string | null>
  scopes: string[]
  granted_at: Date
}

export interface GrantsTable {
  id: Fixed<string>
  session_id: Fixed<string>
  user_id: Fixed<string>
  client_id: Fixed<string>
  tenant_id: string | null
  scopes: Fixed<string[]>
  auth_time: Fixed<Date>
  amr: Fixed<string[]>
  code_hash: Fixed<Buffer>
  code_expires_at: Fixed<Date>
  code_used_at: Date | null
  redirect_uri: Fixed<string>
  nonce: Fixed<string | null>
  code_challenge: Fixed<string | null>
  code_challenge_method: Fixed<PkceMethod | null>
  created_at: Fixed<Date>
  expires_at: Date
}

export interface RefreshTokensTable {
  hash: Fixed<Buffer>
  grant_id: Fixed<string>
  created_at: Fixed<Date>
  expires_at: Fixed<Date>
  used_at: Date | null
  process: Fixed<number | null>
}

export interface ProcessesTable {
  number: Fixed<number>
  worker: string | null
  gone_at: Date | null
}

export interface RevokedTokensTable {
  jti: Fixed<string>
  expires_at: Fixed<Date>
}

/** What somebody is called. */
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
  expires_at: Fixed<Date>
}

export interface IdempotencyKeysTable {
  caller: Fixed<string>
  key: Fixed<string>
  fingerprint: Buffer
  status: number | null
  sealed_body: Buffer | null
  created_at: Date
  holder: number | null
}

export interface MailMessagesTable {
  id: Fixed<string>
  recipient: Fixed<string>
  sealed: Fixed<Buffer>
  created_at: Fixed<Date>
}

export type ActorKind = 'user' | 'client' | 'system'

export type LicenseTypeStatus = 'ACTIVE' | 'ARCHIVED'
export type Features = Record<string, boolean>

export interface LicenseTypesTable {
  id: Fixed<string>
  application_id: Fixed<string>
  slug: string
  name: string
  description: string | null
  features: ColumnType<Features, string, string>
  display_order: number
  status: Generated<LicenseTypeStatus>
  created_at: Fixed<Date>
  updated_at: Date
}

export type SubscriptionStatus = 'ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED'

export interface SubscriptionsTable {
  id: Fixed<string>
  tenant_id: Fixed<string>
  application_id: Fixed<string>
  license_type_id: Fixed<string>
  quantity_purchased: number
  /** Kept by the database itself. */
  quantity_assigned: ColumnType<number, never, never>
  quantity_reserved: ColumnType<number, never, never>
  tolerated: Generated<number>
  status: SubscriptionStatus
  current_period_start: Date
  current_period_end: Date | null
  lapse_noted_at: ColumnType<Date | null, never, Date | null>
  created_at: Fixed<Date>
  updated_at: Date
}

export type SeatStatus = 'ASSIGNED' | 'RESERVED' | 'PARKED'

export interface SeatsTable {
  id: Fixed<string>
  tenant_id: Fixed<string>
  user_id: Fixed<string>
  application_id: Fixed<string>
  license_type_id: string
  subscription_id: string
  status: SeatStatus
  assigned_at: Date
}

/** Why something stands in the ledger. */
export const LEDGER_REASONS = [
  'GRANTED',
  'REVOKED',
  'CHANGED',
  'RESERVED',
  'ACCEPTED',
  'SUSPENDED',
  'REACTIVATED',
  'ENDED',
  'SUBSCRIBED',
  'SUBSCRIPTION_CHANGED',
  'SUBSCRIPTION_ENDED',
] as const

/** Written by the database itself. */
export interface LicenseLedgerTable {
  tenant_id: ColumnType<string, never, never>
  sequence: ColumnType<string, never, never>
  occurred_at: ColumnType<Date, never, never>
  actor: ColumnType<string | null, never, never>
  reason: ColumnType<(typeof LEDGER_REASONS)[number], never, never>
  subject: ColumnType<'seat' | 'subscription', never, never>
  subject_id: ColumnType<string, never, never>
  user_id: ColumnType<string | null, never, never>
  application_id: ColumnType<string, never, never>
  before: ColumnType<Json | null, never, never>
  after: ColumnType<Json | null, never, never>
}

export interface LicenseRevisionsTable {
  tenant_id: ColumnType<string, never, never>
  revision: ColumnType<string, never, never>
}

export interface AuditEntriesTable {
  id: Fixed<string>
  occurred_at: Fixed<Date>
  action: Fixed<string>
  actor_kind: Fixed<ActorKind>
  actor_id: Fixed<string | null>
  client_id: ColumnType<string | null, string | null | undefined, never>
  user_id: Fixed<string | null>
  tenant_id: Fixed<string | null>
  request_id: Fixed<string | null>
  details: ColumnType<Json, string, never>
  personal: ColumnType<Json, string, string>
  /** Both made from `personal` by the database itself, to search by. */
  about_email: ColumnType<string | null, never, never>
  ip_address: ColumnType<string | null, never, never>
}

/** What is written down and not yet in the chain, in the order in which it was. Filled by the database itself. */
export interface AuditPendingTable {
  sequence: ColumnType<string, never, never>
  entry_id: ColumnType<string, never, never>
}

export interface AuditChainTable {
  position: ColumnType<string, number, never>
  entry_id: Fixed<string>
  tenant_id: Fixed<string | null>
  personal_digest: Fixed<Buffer>
  hash: Fixed<Buffer>
}

/** One row. */
export interface AuditHeadTable {
  sealed_key: Buffer | null
  position: ColumnType<string, never, number>
  hash: Buffer
  /** Made with the key of the chain. */
  head_proof: Buffer | null
  /** The last link of those that are gone because they were too old. */
  anchor_position: ColumnType<string, never, number>
  anchor_hash: Buffer
  anchor_proof: Buffer | null
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

export interface PendingSignInsTable {
  secret_hash: Fixed<Buffer>
  user_id: Fixed<string>
  amr: Fixed<string[]>
  auth_time: Fixed<Date | null>
  auth_time_assumed: Fixed<boolean>
  restores: boolean
  expires_at: Fixed<Date>
}

export interface KnownDevicesTable {
  user_id: Fixed<string>
  hash: Fixed<Buffer>
  last_seen_at: Date
}

export interface SsoLinksTable {
  user_id: Fixed<string>
  provider: Fixed<string>
  issuer: Fixed<string>
  subject: Fixed<string>
  email: string | null
  display_name: string | null
  avatar_url: string | null
  linked_at: Fixed<Date>
  last_used_at: Date
}

export interface SsoAttemptsTable {
  state_hash: Fixed<Buffer>
  provider: Fixed<string>
  sealed: Fixed<Buffer>
  browser_hash: Fixed<Buffer | null>
  user_id: Fixed<string | null>
  return_to: Fixed<string | null>
  expires_at: Fixed<Date>
}

/** Why a webhook is disabled: by somebody, because it said that it is gone, or because nothing has reached it. */
export type DisabledReason = 'REQUESTED' | 'GONE' | 'UNREACHABLE'

export interface WebhooksTable {
  id: Fixed<string>
  /** Null: of the whole instance. */
  tenant_id: Fixed<string | null>
  url: string
  events: string[]
  description: string | null
  after_position: ColumnType<string, number, number>
  sealed_secret: Buffer
  sealed_previous_secret: ColumnType<Buffer | null, never, Buffer | null>
  previous_secret_until: ColumnType<Date | null, never, Date | null>
  disabled_at: Date | null
  disabled_reason: DisabledReason | null
  created_at: Fixed<Date>
  updated_at: Date
}

export interface WebhookCursorTable {
  position: ColumnType<string, never, number>
}

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED'

export interface WebhookDeliveriesTable {
  id: Generated<string>
  webhook_id: Fixed<string>
  tenant_id: Fixed<string | null>
  lane: Fixed<string>
  position: ColumnType<string, number, never>
  event_id: Fixed<string>
  event_type: Fixed<string>
  status: Generated<DeliveryStatus>
  attempts: Generated<number>
  first_attempt_at: Generated<Date | null>
  next_attempt_at: Generated<Date | null>
  last_status: Generated<number | null>
  last_error: Generated<string | null>
  created_at: Fixed<Date>
  finished_at: Generated<Date | null>
}

export interface WebhookLanesTable {
  webhook_id: Fixed<string>
  lane: Fixed<string>
  tenant_id: Fixed<string | null>
  due_at: Date | null
  holder: Generated<string | null>
  locked_until: Generated<Date | null>
}

export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** Of an application or of a tenant. What is kept of a logo is there as a whole, or not at all. */
export interface BrandingsTable {
  /** Made by the database itself. */
  owner_id: ColumnType<string, never, never>
  application_id: Fixed<string | null>
  tenant_id: Fixed<string | null>
  display_name: string | null
  color: string | null
  logo: Buffer | null
  logo_type: LogoType | null
  logo_hash: string | null
  logo_width: number | null
  logo_height: number | null
  updated_at: Date
}

/** The tables as the migrations leave them. */
export interface Tables {
  instance_facts: InstanceFactsTable
  users: UsersTable
  user_terms: UserTermsTable
  user_counts: UserCountsTable
  mail_messages: MailMessagesTable
  tenants: TenantsTable
  memberships: MembershipsTable
  member_counts: MemberCountsTable
  invitations: InvitationsTable
  applications: ApplicationsTable
  clients: ClientsTable
  client_secrets: ClientSecretsTable
  signing_keys: SigningKeysTable
  sessions: SessionsTable
  consents: ConsentsTable
  grants: GrantsTable
  refresh_tokens: RefreshTokensTable
  processes: ProcessesTable
  revoked_tokens: RevokedTokensTable
  mailed_links: MailedLinksTable
  idempotency_keys: IdempotencyKeysTable
  audit_entries: AuditEntriesTable
  audit_pending: AuditPendingTable
  audit_chain: AuditChainTable
  audit_head: AuditHeadTable
  license_types: LicenseTypesTable
  subscriptions: SubscriptionsTable
  seats: SeatsTable
  license_ledger: LicenseLedgerTable
  license_revisions: LicenseRevisionsTable
  totp_secrets: TotpSecretsTable
  recovery_codes: RecoveryCodesTable
  passkeys: PasskeysTable
  passkey_challenges: PasskeyChallengesTable
  pending_sign_ins: PendingSignInsTable
  known_devices: KnownDevicesTable
  sso_links: SsoLinksTable
  sso_attempts: SsoAttemptsTable
  webhooks: WebhooksTable
  webhook_cursor: WebhookCursorTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_lanes: WebhookLanesTable
  brandings: BrandingsTable
}

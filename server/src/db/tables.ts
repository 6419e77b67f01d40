import type {
  ApplicationsTable,
  ClientRegistrationsTable,
  ClientSecretsTable,
  ClientsTable,
  RegistrationTokensTable,
  ResourceClientsTable,
  ResourcesTable,
} from './tables/applications.ts'
import type {
  AuditChainTable,
  AuditEntriesTable,
  AuditHeadTable,
  AuditPendingTable,
  AuditStreamsTable,
} from './tables/audit.ts'
import type {
  IdempotencyKeysTable,
  InstanceFactsTable,
  MailMessagesTable,
  ProcessesTable,
  TokenKeysTable,
} from './tables/instance.ts'
import type {
  LicenseLedgerTable,
  LicenseRevisionsTable,
  LicenseTypesTable,
  SeatsTable,
  SubscriptionsTable,
} from './tables/licensing.ts'
import type {
  ConsentsTable,
  DeviceAuthorizationsTable,
  DpopProofsTable,
  GrantsTable,
  LogoutDeliveriesTable,
  PendingSignInsTable,
  PushedRequestsTable,
  RefreshTokensTable,
  RevokedTokensTable,
  SessionClientsTable,
  SessionsTable,
  SignInCodesTable,
  SsoAttemptsTable,
  SsoLinksTable,
  SupportSessionsTable,
  UsedAssertionsTable,
} from './tables/sessions.ts'
import type {
  BrandingsTable,
  InvitationsTable,
  MailTemplatesTable,
  MemberCountsTable,
  MembershipsTable,
  TenantMailTemplatesTable,
  TenantsTable,
} from './tables/tenants.ts'
import type {
  AwaitedLinksTable,
  KnownDevicesTable,
  MailedLinksTable,
  PasskeyChallengesTable,
  PasskeysTable,
  RecoveryCodesTable,
  TotpSecretsTable,
  UserCountsTable,
  UsersTable,
  UserTermsTable,
} from './tables/users.ts'
import type { WebhookCursorTable, WebhookDeliveriesTable, WebhookLanesTable, WebhooksTable } from './tables/webhooks.ts'

export type * from './tables/applications.ts'
export type * from './tables/audit.ts'
export type * from './tables/instance.ts'
export type * from './tables/licensing.ts'
export type * from './tables/sessions.ts'
export type * from './tables/tenants.ts'
export type * from './tables/users.ts'
export type * from './tables/webhooks.ts'

/** The schema after all migrations. */
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
  registration_tokens: RegistrationTokensTable
  client_registrations: ClientRegistrationsTable
  token_keys: TokenKeysTable
  sessions: SessionsTable
  consents: ConsentsTable
  resources: ResourcesTable
  resource_clients: ResourceClientsTable
  grants: GrantsTable
  session_clients: SessionClientsTable
  support_sessions: SupportSessionsTable
  logout_deliveries: LogoutDeliveriesTable
  device_authorizations: DeviceAuthorizationsTable
  refresh_tokens: RefreshTokensTable
  processes: ProcessesTable
  revoked_tokens: RevokedTokensTable
  dpop_proofs: DpopProofsTable
  used_assertions: UsedAssertionsTable
  mailed_links: MailedLinksTable
  awaited_links: AwaitedLinksTable
  idempotency_keys: IdempotencyKeysTable
  audit_entries: AuditEntriesTable
  audit_pending: AuditPendingTable
  audit_chain: AuditChainTable
  audit_head: AuditHeadTable
  audit_streams: AuditStreamsTable
  license_types: LicenseTypesTable
  subscriptions: SubscriptionsTable
  seats: SeatsTable
  license_ledger: LicenseLedgerTable
  license_revisions: LicenseRevisionsTable
  totp_secrets: TotpSecretsTable
  recovery_codes: RecoveryCodesTable
  passkeys: PasskeysTable
  passkey_challenges: PasskeyChallengesTable
  pushed_requests: PushedRequestsTable
  pending_sign_ins: PendingSignInsTable
  sign_in_codes: SignInCodesTable
  known_devices: KnownDevicesTable
  sso_links: SsoLinksTable
  sso_attempts: SsoAttemptsTable
  webhooks: WebhooksTable
  webhook_cursor: WebhookCursorTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_lanes: WebhookLanesTable
  brandings: BrandingsTable
  mail_templates: MailTemplatesTable
  tenant_mail_templates: TenantMailTemplatesTable
}

import type { ColumnType, Generated } from 'kysely'
import type { PkceMethod } from './applications.ts'
import type { Fixed } from './columns.ts'
import type { DeliveryStatus } from './webhooks.ts'

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
  /** The operator who acts as the user in this session. */
  operator_id: ColumnType<string | null, string | undefined, never>
  /** When the session of an operator ends. */
  ends_at: ColumnType<Date | null, Date | undefined, never>
}

/** Sessions in which operators act as members. A row stays until the end of the session is in the audit log. */
export interface SupportSessionsTable {
  id: Fixed<string>
  /** The code of the link, until it is opened. */
  link_hash: Buffer | null
  /** The secret of the cookie, once the link was opened. */
  secret_hash: Buffer | null
  operator_id: Fixed<string>
  operator_session_id: Fixed<string>
  user_id: Fixed<string>
  tenant_id: Fixed<string>
  created_at: Fixed<Date>
  ends_at: Fixed<Date>
}

export interface ConsentsTable {
  user_id: Fixed<string>
  application_id: Fixed<string>
  tenant_id: Fixed<string | null>
  scopes: string[]
  granted_at: Date
}

/** Claims that a client requested by name. */
export interface RequestedClaims {
  /** The claims about the user, for userinfo and for the ID token. */
  userinfo: string[]
  idToken: string[]
  /** The `acr` of the ID token; undefined: that of the sign-in. */
  acr?: string | undefined
}

export interface GrantsTable {
  id: Fixed<string>
  session_id: Fixed<string>
  user_id: Fixed<string>
  client_id: Fixed<string>
  tenant_id: string | null
  resource_id: ColumnType<string | null, string | null | undefined, never>
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
  /** The thumbprint of the key that the code and the refresh tokens are bound to. */
  dpop_jkt: string | null
  requested_claims: ColumnType<RequestedClaims | null, string | null | undefined, never>
  /** The tenants that it was in before it switched; null stands for none. */
  earlier_tenant_ids: ColumnType<(string | null)[] | null, undefined, never>
  created_at: Fixed<Date>
  expires_at: Date
}

/** The clients with a back-channel logout that somebody signed in to from a session. */
export interface SessionClientsTable {
  session_id: Fixed<string>
  client_id: Fixed<string>
}

/** Logout tokens, one for each client of a session that has ended. */
export interface LogoutDeliveriesTable {
  id: Generated<string>
  position: ColumnType<string, never, never>
  client_id: Fixed<string>
  session_id: Fixed<string>
  user_id: Fixed<string>
  status: Generated<DeliveryStatus>
  attempts: Generated<number>
  first_attempt_at: Date | null
  due_at: Date | null
  holder: string | null
  last_status: number | null
  last_error: string | null
  created_at: Fixed<Date>
  finished_at: Date | null
}

export interface DeviceAuthorizationsTable {
  id: Fixed<string>
  device_code_hash: Fixed<Buffer>
  user_code_mac: Fixed<Buffer>
  client_id: Fixed<string>
  scopes: Fixed<string[]>
  tenant_slug: Fixed<string | null>
  ip_address: Fixed<string>
  network: Fixed<string>
  user_agent: Fixed<string>
  poll_interval: number
  polled_at: Date | null
  polled_early: Generated<boolean>
  decided_at: Date | null
  grant_id: string | null
  created_at: Fixed<Date>
  expires_at: Fixed<Date>
}

export interface RefreshTokensTable {
  hash: Fixed<Buffer>
  grant_id: Fixed<string>
  created_at: Fixed<Date>
  expires_at: Fixed<Date>
  used_at: Date | null
  /** The last use of a token that stays valid. */
  renewed_at: Date | null
  process: Fixed<number | null>
}

export interface RevokedTokensTable {
  jti: Fixed<string>
  expires_at: Fixed<Date>
}

/** Pushed authorization requests. Without parameters: it was used. */
export interface PushedRequestsTable {
  hash: Fixed<Buffer>
  client_id: Fixed<string>
  sealed_parameters: Buffer | null
  expires_at: Date
}

export interface UsedAssertionsTable {
  hash: Fixed<Buffer>
  expires_at: Fixed<Date>
}

/** DPoP proofs that were used. */
export interface DpopProofsTable {
  hash: Fixed<Buffer>
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

/** Codes that are mailed to people who sign in. */
export interface SignInCodesTable {
  browser_hash: Fixed<Buffer>
  code_hash: Fixed<Buffer>
  user_id: ColumnType<string | null, string | undefined, string>
  attempts: Generated<number>
  used: Generated<boolean>
  expires_at: Fixed<Date>
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

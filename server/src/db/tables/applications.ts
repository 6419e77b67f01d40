import type { ColumnType, Generated } from 'kysely'
import type { SigningAlgorithm } from '../../lib/signer.ts'
import type { Fixed } from './columns.ts'

export type LicensingMode = 'PER_SEAT' | 'TENANT_WIDE' | 'FREE'

export interface ApplicationsTable {
  id: Fixed<string>
  slug: string
  name: string
  trusted: Generated<boolean>
  licensing_mode: Generated<LicensingMode>
  /** People may sign in with a mailed code. */
  email_codes: Generated<boolean>
  /** How its tokens are signed. */
  signing_algorithm: Generated<SigningAlgorithm>
  /** Signs while there is no active key for `signing_algorithm`; null: RS256. */
  previous_signing_algorithm: SigningAlgorithm | null
  /** Created by the service itself. */
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

/** How the response to an authorization request reaches the client. */
export type ResponseMode = 'query' | 'form_post'

/** SPA clients do not authenticate. `client_secret` is HTTP Basic or the form. */
export type ClientAuthMethod = 'none' | 'client_secret' | 'private_key_jwt'

/** Who registered a client: an administrator, the document at its client id, or the client itself (RFC 7591). */
export type ClientOrigin = 'ADMIN' | 'DOCUMENT' | 'REGISTRATION'

/** The rules that a client must follow besides its other settings. */
export type SecurityProfile = 'NONE' | 'FAPI2'

/** A JWK Set with public keys (RFC 7517). */
export interface PublicKeySet {
  keys: Record<string, unknown>[]
}

export interface ClientsTable {
  id: Fixed<string>
  client_id: Fixed<string>
  origin: Generated<ClientOrigin>
  application_id: Fixed<string>
  kind: Fixed<ClientKind>
  name: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  allowed_origins: string[]
  scopes: string[]
  tenant_id: Fixed<string | null>
  require_nonce: boolean
  userinfo_in_id_token: boolean
  pkce_methods: PkceMethod[]
  response_modes: Generated<ResponseMode[]>
  /** Authorization requests must be pushed. */
  require_pushed_requests: Generated<boolean>
  /** Authorization requests must be signed. */
  require_signed_requests: Generated<boolean>
  require_dpop: Generated<boolean>
  device_flow: Generated<boolean>
  token_exchange: Generated<boolean>
  token_endpoint_auth_method: Generated<ClientAuthMethod>
  jwks: ColumnType<PublicKeySet | null, string | null, string | null>
  jwks_uri: string | null
  security_profile: Generated<SecurityProfile>
  /** Where it is told that sessions ended; null: it is not told. */
  backchannel_logout_uri: string | null
  disabled: boolean
  /** Tokens that it obtained until then by token exchange are not valid. A trigger writes it. */
  exchange_ended_at: ColumnType<Date | null, never, never>
  created_at: Fixed<Date>
  updated_at: Date
}

/** An API for which clients request tokens (RFC 8707). */
export interface ResourcesTable {
  id: Fixed<string>
  application_id: Fixed<string>
  name: string
  uri: Fixed<string>
  scopes: string[]
  /** Clients that no administrator registered may request tokens for it. */
  allow_dynamic_clients: Generated<boolean>
  created_at: Fixed<Date>
  updated_at: Date
}

/** The clients of other applications that may request tokens for a resource. */
export interface ResourceClientsTable {
  resource_id: Fixed<string>
  client_id: Fixed<string>
}

/** Tokens with which clients may register themselves. */
export interface RegistrationTokensTable {
  id: Fixed<string>
  name: Fixed<string>
  hash: Fixed<Buffer>
  redirect_hosts: Fixed<string[] | null>
  max_uses: Fixed<number>
  uses: Generated<number>
  expires_at: Fixed<Date>
  created_at: Fixed<Date>
}

/** What is known only of clients that registered themselves. */
export interface ClientRegistrationsTable {
  client_id: Fixed<string>
  access_token_hash: Fixed<Buffer>
  /** It registered client_secret_post and not client_secret_basic. */
  posts_secret: boolean
  /** The hosts that its redirect URIs may have; null for any. */
  redirect_hosts: Fixed<string[] | null>
  /** An administrator changed the client or its application. */
  changed_by_operator: Generated<boolean>
}

export interface ClientSecretsTable {
  id: Fixed<string>
  client_id: Fixed<string>
  hash: Fixed<Buffer>
  created_at: Fixed<Date>
}

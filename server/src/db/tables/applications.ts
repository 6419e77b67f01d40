import type { Generated } from 'kysely'
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
  userinfo_in_id_token: boolean
  pkce_methods: PkceMethod[]
  response_modes: Generated<ResponseMode[]>
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

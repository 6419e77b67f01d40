import { type Insertable, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type {
  ClientAuthMethod,
  ClientKind,
  ClientOrigin,
  ClientSecretsTable,
  ClientsTable,
  Tables,
} from '../../db/tables.ts'
import type { SigningAlgorithm } from '../../lib/signer.ts'
import type { ClientSettings } from './rules.ts'

/** A client joined with its application, its tenant and its secrets. */
export interface StoredClient extends ClientSettings {
  id: string
  clientId: string
  origin: ClientOrigin
  kind: ClientKind
  applicationId: string
  applicationSlug: string
  applicationName: string
  trusted: boolean
  /** The client of the console. */
  builtIn: boolean
  signingAlgorithm: SigningAlgorithm
  previousSigningAlgorithm: SigningAlgorithm | null
  accessTokenTtl: number | null
  idTokenTtl: number | null
  refreshTokenIdleTtl: number | null
  refreshTokenTtl: number | null
  tenantId: string | null
  tenantSlug: string | null
  tenantSuspendedAt: Date | null
  tenantReactivatedAt: Date | null
  exchangeEndedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** Oldest first; the hash in hex, the time in milliseconds since 1970. */
  secrets: { id: string; hash: string; createdAt: number }[]
}

const CLIENT_COLUMNS = [
  'clients.id',
  'clients.client_id as clientId',
  'clients.origin',
  'clients.kind',
  'clients.name',
  'clients.redirect_uris as redirectUris',
  'clients.post_logout_redirect_uris as postLogoutRedirectUris',
  'clients.allowed_origins as allowedOrigins',
  'clients.scopes',
  'clients.require_nonce as requireNonce',
  'clients.userinfo_in_id_token as userinfoInIdToken',
  'clients.pkce_methods as pkceMethods',
  'clients.response_modes as responseModes',
  'clients.require_pushed_requests as requirePushedRequests',
  'clients.require_signed_requests as requireSignedRequests',
  'clients.require_dpop as requireDpop',
  'clients.device_flow as deviceFlow',
  'clients.token_exchange as tokenExchange',
  'clients.jwks',
  'clients.jwks_uri as jwksUri',
  'clients.security_profile as securityProfile',
  'clients.backchannel_logout_uri as backchannelLogoutUri',
  'clients.disabled',
  'clients.exchange_ended_at as exchangeEndedAt',
  'clients.created_at as createdAt',
  'clients.updated_at as updatedAt',
] as const

const APPLICATION_COLUMNS = [
  'applications.id as applicationId',
  'applications.slug as applicationSlug',
  'applications.name as applicationName',
  'applications.trusted',
  'applications.built_in as builtIn',
  'applications.signing_algorithm as signingAlgorithm',
  'applications.previous_signing_algorithm as previousSigningAlgorithm',
  'applications.access_token_ttl as accessTokenTtl',
  'applications.id_token_ttl as idTokenTtl',
  'applications.refresh_token_idle_ttl as refreshTokenIdleTtl',
  'applications.refresh_token_ttl as refreshTokenTtl',
] as const

const selectAllClients = (db: Db) =>
  db
    .selectFrom('clients')
    .innerJoin('applications', 'applications.id', 'clients.application_id')
    .leftJoin('tenants', 'tenants.id', 'clients.tenant_id')
    .select([...CLIENT_COLUMNS, ...APPLICATION_COLUMNS])
    .select(['tenants.id as tenantId', 'tenants.slug as tenantSlug'])
    .select(['tenants.suspended_at as tenantSuspendedAt', 'tenants.reactivated_at as tenantReactivatedAt'])
    .select(
      sql<ClientAuthMethod>`case when clients.kind = 'SPA' then 'none' else clients.token_endpoint_auth_method end`.as(
        'tokenEndpointAuthMethod',
      ),
    )
    .select(
      sql<StoredClient['secrets']>`coalesce((
        select jsonb_agg(
          jsonb_build_object('id', s.id, 'hash', encode(s.hash, 'hex'), 'createdAt', floor(extract(epoch from s.created_at) * 1000))
          order by s.created_at, s.id
        )
        from client_secrets s where s.client_id = clients.id
      ), '[]')`.as('secrets'),
    )

/** Without the built-in client of the console, which nobody may see or change. */
export const selectClients = (db: Db) => selectAllClients(db).where('applications.built_in', '=', false)

export const findClientById = (db: Db, id: string): Promise<StoredClient | undefined> =>
  selectClients(db).where('clients.id', '=', id).executeTakeFirst()

export const findClientByClientId = (db: Db, clientId: string): Promise<StoredClient | undefined> =>
  selectAllClients(db).where('clients.client_id', '=', clientId).executeTakeFirst()

export const listClientsByClientId = (db: Db, clientIds: string[]): Promise<StoredClient[]> =>
  clientIds.length === 0 ? Promise.resolve([]) : selectClients(db).where('clients.client_id', 'in', clientIds).execute()

export async function countAll<T extends keyof Tables>(query: SelectQueryBuilder<Tables, T, object>): Promise<number> {
  const { total } = await query.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow()
  return total
}

/** False when the client id is taken. */
export async function insertClient(tx: Tx, client: Insertable<ClientsTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto('clients')
    .values(client)
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updateClient(
  tx: Tx,
  id: string,
  change: Partial<ClientSettings> & { updatedAt: Date },
): Promise<void> {
  await tx
    .updateTable('clients')
    .set({
      name: change.name,
      redirect_uris: change.redirectUris,
      post_logout_redirect_uris: change.postLogoutRedirectUris,
      allowed_origins: change.allowedOrigins,
      scopes: change.scopes,
      require_nonce: change.requireNonce,
      userinfo_in_id_token: change.userinfoInIdToken,
      pkce_methods: change.pkceMethods,
      response_modes: change.responseModes,
      require_pushed_requests: change.requirePushedRequests,
      require_signed_requests: change.requireSignedRequests,
      require_dpop: change.requireDpop,
      device_flow: change.deviceFlow,
      token_exchange: change.tokenExchange,
      token_endpoint_auth_method: change.tokenEndpointAuthMethod,
      jwks: change.jwks && JSON.stringify(change.jwks),
      jwks_uri: change.jwksUri,
      security_profile: change.securityProfile,
      backchannel_logout_uri: change.backchannelLogoutUri,
      disabled: change.disabled,
      updated_at: change.updatedAt,
    })
    .where('id', '=', id)
    .execute()
}

export async function deleteClient(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('clients').where('id', '=', id).execute()
}

/** Locks the row until the transaction ends. */
export async function lockClient(tx: Tx, id: string): Promise<StoredClient | undefined> {
  const locked = await tx.selectFrom('clients').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  return locked && findClientById(tx, id)
}

export const findClientWithOrigin = (db: Db, origin: string): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('clients')
    .select('id')
    .where('disabled', '=', false)
    .where(sql<boolean>`allowed_origins @> array[${origin}]`)
    .limit(1)
    .executeTakeFirst()

export const findClientWithPostLogoutUri = (db: Db, uri: string): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('clients')
    .select('id')
    .where('disabled', '=', false)
    .where('origin', '=', 'ADMIN')
    .where(sql<boolean>`${uri} = any(post_logout_redirect_uris)`)
    .limit(1)
    .executeTakeFirst()

export const findClientWithRedirectUri = (db: Db, uri: string): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('clients')
    .select('id')
    .where('disabled', '=', false)
    .where('origin', '=', 'ADMIN')
    .where(sql<boolean>`${uri} = any(redirect_uris)`)
    .limit(1)
    .executeTakeFirst()

export async function insertSecret(tx: Tx, secret: Insertable<ClientSecretsTable>): Promise<void> {
  await tx.insertInto('client_secrets').values(secret).execute()
}

export const countSecrets = (tx: Tx, clientId: string): Promise<number> =>
  countAll(tx.selectFrom('client_secrets').where('client_id', '=', clientId))

export async function deleteSecret(tx: Tx, clientId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('client_secrets')
    .where('client_id', '=', clientId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Locks the application against deletion until the transaction ends. False when there is none. */
export const lockApplicationForReference = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx
    .selectFrom('applications')
    .select('id')
    .where('id', '=', id)
    .where('built_in', '=', false)
    .forKeyShare()
    .executeTakeFirst()) !== undefined

/** The algorithm of an application, which is locked against changes until the transaction ends. */
export const lockSigningAlgorithm = async (tx: Tx, applicationId: string): Promise<SigningAlgorithm | undefined> =>
  (
    await tx
      .selectFrom('applications')
      .select('signing_algorithm')
      .where('id', '=', applicationId)
      .forShare()
      .executeTakeFirst()
  )?.signing_algorithm

export const lockTenantForReference = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('tenants').select('id').where('id', '=', id).forKeyShare().executeTakeFirst()) !== undefined

export const listTenantsBySlug = (db: Db, slugs: string[]): Promise<{ id: string; slug: string }[]> =>
  slugs.length === 0
    ? Promise.resolve([])
    : db.selectFrom('tenants').select(['id', 'slug']).where('slug', 'in', slugs).execute()

import { sql } from 'kysely'

/** The columns of `GrantResource`, for queries that join `resources` to `grants`. */
export const RESOURCE_COLUMNS = [
  'grants.resource_id',
  'resources.uri as resource_uri',
  'resources.scopes as resource_scopes',
  'resources.application_id as resource_application_id',
] as const

/** Whether the resource allows the client, which may be of another application. */
export const RESOURCE_ALLOWS_CLIENT = sql<boolean>`(
  exists (
    select from resource_clients
    where resource_clients.resource_id = grants.resource_id and resource_clients.client_id = grants.client_id
  )
  or coalesce(resources.allow_dynamic_clients, false)
    and exists (select from clients where clients.id = grants.client_id and clients.origin <> 'ADMIN')
)`.as('resource_allows_client')

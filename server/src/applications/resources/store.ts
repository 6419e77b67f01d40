import { type ExpressionBuilder, type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import { toContainsPattern } from '../../db/search.ts'
import type { ResourcesTable, Tables } from '../../db/tables.ts'
import type { Range } from '../../http/routing/pagination.ts'
import type { ResourceSettings } from './rules.ts'

/** A resource with the clients of other applications that may use it. */
export interface StoredResource extends ResourceSettings {
  id: string
  applicationId: string
  applicationSlug: string
  uri: string
  createdAt: Date
  updatedAt: Date
}

export const selectResources = (db: Db) =>
  db
    .selectFrom('resources')
    .innerJoin('applications', 'applications.id', 'resources.application_id')
    .select([
      'resources.id',
      'resources.application_id as applicationId',
      'applications.slug as applicationSlug',
      'resources.name',
      'resources.uri',
      'resources.scopes',
      'resources.allow_dynamic_clients as allowDynamicClients',
      'resources.created_at as createdAt',
      'resources.updated_at as updatedAt',
    ])
    .select(
      sql<string[]>`array(
        select clients.client_id from resource_clients join clients on clients.id = resource_clients.client_id
        where resource_clients.resource_id = resources.id order by clients.client_id collate "C"
      )`.as('allowedClients'),
    )

export const findResourceById = (db: Db, id: string): Promise<StoredResource | undefined> =>
  selectResources(db).where('resources.id', '=', id).executeTakeFirst()

export const findResourceByUri = (db: Db, uri: string): Promise<StoredResource | undefined> =>
  selectResources(db).where('resources.uri', '=', uri).executeTakeFirst()

export const listResourcesByUri = (db: Db, uris: string[]): Promise<StoredResource[]> =>
  uris.length === 0 ? Promise.resolve([]) : selectResources(db).where('resources.uri', 'in', uris).execute()

/** Undefined fields do not filter. */
export interface ResourceFilter {
  /** A part of the name or the URI. */
  search?: string | undefined
  applicationId?: string | undefined
}

const matches =
  ({ search, applicationId }: ResourceFilter) =>
  (where: ExpressionBuilder<Tables, 'resources'>) => {
    const pattern = toContainsPattern(search ?? '')
    return where.and([
      ...(search === undefined
        ? []
        : [where.or([where('resources.name', 'ilike', pattern), where('resources.uri', 'ilike', pattern)])]),
      ...(applicationId === undefined ? [] : [where('resources.application_id', '=', applicationId)]),
    ])
  }

const ORDERS = {
  name: sql`lower(resources.name), resources.id`,
  '-name': sql`lower(resources.name) desc, resources.id desc`,
  uri: sql`resources.uri`,
  '-uri': sql`resources.uri desc`,
  createdAt: sql`resources.created_at, resources.id`,
  '-createdAt': sql`resources.created_at desc, resources.id desc`,
}
export type ResourceOrder = keyof typeof ORDERS

export const listResources = (
  db: Db,
  filter: ResourceFilter,
  { sort, offset, limit }: Range & { sort: ResourceOrder },
): Promise<StoredResource[]> =>
  selectResources(db).where(matches(filter)).orderBy(ORDERS[sort]).offset(offset).limit(limit).execute()

export async function countResources(db: Db, filter: ResourceFilter): Promise<number> {
  const count = sql<number>`count(*)::int`.as('total')
  const { total } = await db.selectFrom('resources').where(matches(filter)).select(count).executeTakeFirstOrThrow()
  return total
}

/** False when the URI is taken. */
export async function insertResource(tx: Tx, resource: Insertable<ResourcesTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto('resources')
    .values(resource)
    .onConflict((conflict) => conflict.column('uri').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updateResource(
  tx: Tx,
  id: string,
  change: Omit<ResourceSettings, 'allowedClients'> & { updatedAt: Date },
): Promise<void> {
  const { name, scopes, allowDynamicClients: allow_dynamic_clients, updatedAt: updated_at } = change
  await tx
    .updateTable('resources')
    .set({ name, scopes, allow_dynamic_clients, updated_at })
    .where('id', '=', id)
    .execute()
}

/** Locks the clients against deletion, and returns their ids by client id. */
export async function lockClientsForReference(tx: Tx, clientIds: string[]): Promise<Map<string, string>> {
  if (clientIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('clients')
    .innerJoin('applications', 'applications.id', 'clients.application_id')
    .select(['clients.id', 'clients.client_id'])
    .where('clients.client_id', 'in', clientIds)
    .where('applications.built_in', '=', false)
    .orderBy('clients.id')
    .forKeyShare('clients')
    .execute()
  return new Map(rows.map(({ id, client_id }) => [client_id, id]))
}

/** Replaces the clients that may use the resource. */
export async function setResourceClients(tx: Tx, resourceId: string, clientIds: string[]): Promise<void> {
  await tx
    .deleteFrom('resource_clients')
    .where('resource_id', '=', resourceId)
    .where(sql<boolean>`client_id <> all(${clientIds}::uuid[])`)
    .execute()
  if (clientIds.length === 0) return
  await tx
    .insertInto('resource_clients')
    .values(clientIds.map((client_id) => ({ resource_id: resourceId, client_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Locks the row until the transaction ends. */
export async function lockResource(tx: Tx, id: string): Promise<StoredResource | undefined> {
  const locked = await tx.selectFrom('resources').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  return locked && findResourceById(tx, id)
}

export async function deleteResource(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('resources').where('id', '=', id).execute()
}

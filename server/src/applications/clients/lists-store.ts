import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { toContainsPattern } from '../../db/search.ts'
import type { ClientKind, ClientOrigin, Tables } from '../../db/tables.ts'
import type { Range } from '../../http/routing/pagination.ts'
import { countAll, type StoredClient, selectClients } from './store.ts'

/** Undefined fields do not filter. */
export interface ClientFilter {
  /** A part of the name or the client id. */
  search?: string | undefined
  applicationId?: string | undefined
  kind?: ClientKind | undefined
  tenantId?: string | undefined
  disabled?: boolean | undefined
  origin?: ClientOrigin | undefined
}

const matches =
  ({ search, applicationId, kind, tenantId, disabled, origin }: ClientFilter) =>
  (where: ExpressionBuilder<Tables, 'clients'>) => {
    const pattern = toContainsPattern(search ?? '')
    return where.and([
      ...(search === undefined
        ? []
        : [where.or([where('clients.name', 'ilike', pattern), where('clients.client_id', 'ilike', pattern)])]),
      ...(applicationId === undefined ? [] : [where('clients.application_id', '=', applicationId)]),
      ...(kind === undefined ? [] : [where('clients.kind', '=', kind)]),
      ...(tenantId === undefined ? [] : [where('clients.tenant_id', '=', tenantId)]),
      ...(disabled === undefined ? [] : [where('clients.disabled', '=', disabled)]),
      ...(origin === undefined ? [] : [where('clients.origin', '=', origin)]),
    ])
  }

const ORDERS = {
  name: sql`lower(clients.name), clients.id`,
  '-name': sql`lower(clients.name) desc, clients.id desc`,
  clientId: sql`clients.client_id`,
  '-clientId': sql`clients.client_id desc`,
  createdAt: sql`clients.created_at, clients.id`,
  '-createdAt': sql`clients.created_at desc, clients.id desc`,
}
export type ClientOrder = keyof typeof ORDERS

export const listClients = (
  db: Db,
  filter: ClientFilter,
  { sort, offset, limit }: Range & { sort: ClientOrder },
): Promise<StoredClient[]> =>
  selectClients(db).where(matches(filter)).orderBy(ORDERS[sort]).offset(offset).limit(limit).execute()

export const countClients = (db: Db, filter: ClientFilter): Promise<number> =>
  countAll(
    db
      .selectFrom('clients')
      .innerJoin('applications', 'applications.id', 'clients.application_id')
      .where('applications.built_in', '=', false)
      .where(matches(filter)),
  )

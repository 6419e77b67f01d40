import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { describePage, toRange } from '../../http/pagination.ts'
import { NO_ID, toId } from '../../lib/ids.ts'
import { readSearch } from '../../lib/search-words.ts'
import { getMode } from '../modes.ts'
import type { RosterPage, RosterQuery, SeatBody } from '../tenant-schema.ts'
import { findPage, listRoster, type RosterRow } from './store.ts'

interface Asked {
  tenantId: string
  applicationId: string
  query: RosterQuery
}

/** The ACTIVE members of a tenant, each with the licence for one application that they hold at this moment. */
export async function pageOfRoster(
  ctx: Ctx,
  tx: Tx,
  { tenantId, applicationId, query }: Asked,
): Promise<RosterPage> {
  const words = readSearch(query.search)
  const { id, mode } = await getMode(tx, applicationId)
  const { licensed, licenseTypeId: type } = query
  const filter = {
    ...{ tenantId, applicationId: id, mode, words, licensed, now: ctx.now() },
    // Nobody holds what is no type.
    licenseTypeId: type === undefined ? undefined : (toId(type) ?? NO_ID),
  }
  const { total, ids } = await findPage(tx, filter, toRange(query))
  const rows = ids.length > 0 ? await listRoster(tx, filter, ids) : []
  return { seats: rows.map(toSeat), pagination: describePage(query, total) }
}

const toSeat = ({ licenseTypeId, slug, name, assignedAt, ...member }: RosterRow): SeatBody => ({
  ...member,
  license:
    licenseTypeId === null || slug === null || name === null || assignedAt === null
      ? null
      : { licenseTypeId, slug, name, assignedAt: assignedAt.toISOString() },
})

import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { describePage, toRange } from '../../http/routing/pagination.ts'
import { NIL_ID, toId } from '../../lib/ids.ts'
import { parseSearch } from '../../lib/search-words.ts'
import { getLicensingMode } from '../licensing-mode.ts'
import type { RosterPage, RosterQuery, SeatBody } from '../tenant-schema.ts'
import { findRosterPage, listRoster, type RosterRow } from './store.ts'

interface RosterRequest {
  tenantId: string
  applicationId: string
  query: RosterQuery
}

/** Lists the ACTIVE members of a tenant, each with the license that they hold now for one application. */
export async function getRosterPage(
  ctx: Ctx,
  tx: Tx,
  { tenantId, applicationId, query }: RosterRequest,
): Promise<RosterPage> {
  const words = parseSearch(query.search)
  const { id, mode } = await getLicensingMode(tx, applicationId)
  const filter = {
    tenantId,
    applicationId: id,
    mode,
    words,
    licensed: query.licensed,
    descending: query.sort === '-displayName',
    now: ctx.now(),
    // An invalid id matches no one.
    licenseTypeId: query.licenseTypeId === undefined ? undefined : (toId(query.licenseTypeId) ?? NIL_ID),
  }
  const { total, ids } = await findRosterPage(tx, filter, toRange(query))
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

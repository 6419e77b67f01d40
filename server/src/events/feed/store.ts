import type { Db } from '../../db/open.ts'

/** The position before the first event and the last position. All positions in between are visible to later queries. */
export async function findFeedBounds(db: Db): Promise<{ anchor: number; head: number }> {
  const { anchor_position, position } = await db
    .selectFrom('audit_head')
    .select(['anchor_position', 'position'])
    .executeTakeFirstOrThrow()
  return { anchor: Number(anchor_position), head: Number(position) }
}

/** The position of the n-th link of a tenant after a position; undefined if there are fewer. */
export async function findNthPositionAfter(
  db: Db,
  { tenantId, after, count }: { tenantId: string; after: number; count: number },
): Promise<number | undefined> {
  const link = await db
    .selectFrom('audit_chain')
    .select('position')
    .where('tenant_id', '=', tenantId)
    .where('position', '>', String(after))
    .orderBy('position')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst()
  return link && Number(link.position)
}

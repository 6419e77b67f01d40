import type { Db } from '../../db/open.ts'

/** Behind which position the feed begins and at which it ends. All in between is there for whoever asks afterwards. */
export async function findExtent(db: Db): Promise<{ anchor: number; head: number }> {
  const { anchor_position, position } = await db
    .selectFrom('audit_head')
    .select(['anchor_position', 'position'])
    .executeTakeFirstOrThrow()
  return { anchor: Number(anchor_position), head: Number(position) }
}

/** The position of a tenant's link that is so many after another; undefined when there are fewer. */
export async function findPositionBehind(
  db: Db,
  { tenantId, after, many }: { tenantId: string; after: number; many: number },
): Promise<number | undefined> {
  const link = await db
    .selectFrom('audit_chain')
    .select('position')
    .where('tenant_id', '=', tenantId)
    .where('position', '>', String(after))
    .orderBy('position')
    .offset(many - 1)
    .limit(1)
    .executeTakeFirst()
  return link && Number(link.position)
}

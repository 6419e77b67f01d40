import type { Db } from '../db/open.ts'

/** Linked entries of the given types after a position, in order. */
export function listLinkedEntries(
  db: Db,
  {
    after,
    upTo,
    limit,
    tenantId,
    types,
  }: {
    after: number
    upTo?: number | undefined
    limit: number
    tenantId?: string | undefined
    types: string[]
  },
) {
  let links = db
    .selectFrom('audit_chain')
    .innerJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
    .select('audit_chain.position')
    .selectAll('audit_entries')
    .where('audit_chain.position', '>', String(after))
    .where('action', 'in', types)
    .orderBy('audit_chain.position')
    .limit(limit)
  if (upTo !== undefined) links = links.where('audit_chain.position', '<=', String(upTo))
  if (tenantId !== undefined) links = links.where('audit_chain.tenant_id', '=', tenantId)
  return links.execute()
}
export type LinkedEntry = Awaited<ReturnType<typeof listLinkedEntries>>[number]

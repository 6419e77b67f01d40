import { recordMany, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'
import { insertMembersIfNew, listTenantsNamed, lockTenantsNamed, type NamedTenant } from './import/store.ts'

/** Members who come from another system, many at a time. */

/** The ids of the tenants with these slugs, as far as there are any. */
export const findTenantIds = async (db: Db, slugs: string[]): Promise<Map<string, string>> =>
  slugs.length === 0 ? new Map() : bySlug(await listTenantsNamed(db, slugs))

/** The same, and nobody else changes them or their members until the transaction ends. */
export const holdTenantsNamed = async (tx: Tx, slugs: string[]): Promise<Map<string, string>> =>
  slugs.length === 0 ? new Map() : bySlug(await lockTenantsNamed(tx, slugs))

const bySlug = (tenants: NamedTenant[]) => new Map(tenants.map(({ slug, id }) => [slug, id]))

export interface ImportedMember {
  tenantId: string
  userId: string
  role: Role
}

/** Makes people ACTIVE members. Whoever is one already, be it suspended, stays what they are. */
export async function importMembers(
  ctx: Ctx,
  tx: Tx,
  { members, source }: { members: ImportedMember[]; source: Source },
): Promise<void> {
  if (members.length === 0) return
  const now = ctx.now()
  const common = { status: 'ACTIVE', joined_at: now, created_at: now, updated_at: now } as const
  const added = await insertMembersIfNew(
    tx,
    members.map(({ tenantId, userId, role }) => ({
      ...{ id: newId(), tenant_id: tenantId, user_id: userId, role },
      ...common,
    })),
  )
  await recordMany(
    ctx,
    tx,
    added.map(({ tenant_id: tenantId, user_id: userId, role }) => ({
      action: 'member.added' as const,
      ...source,
      ...{ tenantId, userId, details: { after: { role, status: 'ACTIVE' } } },
    })),
  )
}

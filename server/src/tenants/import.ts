import { type AuditSource, recordAuditEvents } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'
import { insertMembersIfNew, listTenantsWithSlugs, lockTenantsWithSlugs, type TenantSlug } from './import-store.ts'

/** Bulk import of members from another system. */

/** Ids by slug. Unknown slugs are missing. */
export const findTenantIds = async (db: Db, slugs: string[]): Promise<Map<string, string>> =>
  slugs.length === 0 ? new Map() : bySlug(await listTenantsWithSlugs(db, slugs))

/** Like `findTenantIds`, and locks the tenants until the transaction ends. */
export const lockTenantsBySlug = async (tx: Tx, slugs: string[]): Promise<Map<string, string>> =>
  slugs.length === 0 ? new Map() : bySlug(await lockTenantsWithSlugs(tx, slugs))

const bySlug = (tenants: TenantSlug[]) => new Map(tenants.map(({ slug, id }) => [slug, id]))

export interface ImportedMember {
  tenantId: string
  userId: string
  role: Role
}

/** Adds ACTIVE members. Members who are ACTIVE or SUSPENDED stay unchanged. */
export async function importMembers(
  ctx: Ctx,
  tx: Tx,
  { members, source }: { members: ImportedMember[]; source: AuditSource },
): Promise<void> {
  if (members.length === 0) return
  const now = ctx.now()
  const common = { status: 'ACTIVE', joined_at: now, created_at: now, updated_at: now } as const
  const added = await insertMembersIfNew(
    tx,
    members.map(({ tenantId, userId, role }) => ({
      id: newId(),
      tenant_id: tenantId,
      user_id: userId,
      role,
      ...common,
    })),
  )
  await recordAuditEvents(
    ctx,
    tx,
    added.map(({ tenant_id: tenantId, user_id: userId, role }) => ({
      action: 'member.added' as const,
      ...source,
      tenantId,
      userId,
      details: { after: { role, status: 'ACTIVE' } },
    })),
  )
}

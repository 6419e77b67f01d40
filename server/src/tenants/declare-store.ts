import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Entry } from '../declaration/section.ts'
import type { Member } from './store.ts'

const PAGE_SIZE = 500

/** All tenants as entries of a declaration, ordered by slug and read in pages. Invited members are not included. */
export async function* streamTenants(db: Db): AsyncGenerator<Entry> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('tenants')
      .select(['id', 'slug', 'name', 'mfa_policy', 'settings', 'branding_approved', 'email_codes'])
      .select(['support_access', 'language', 'suspended_at'])
      .where(sql<boolean>`slug collate "C" > ${after}`)
      .orderBy(sql`slug collate "C"`)
      .limit(PAGE_SIZE)
      .execute()
    for (const { id, slug, name, ...row } of page) {
      yield {
        slug,
        name,
        mfaPolicy: row.mfa_policy,
        brandingApproved: row.branding_approved,
        emailCodes: row.email_codes,
        // Left out by default, so that files of earlier releases stay as they are.
        ...(row.support_access && { supportAccess: true }),
        ...(row.language !== null && { language: row.language }),
        suspended: row.suspended_at !== null,
        settings: sortKeys(row.settings),
        members: await listDeclarableMembers(db, id),
      }
    }
    const last = page.at(-1)
    if (page.length < PAGE_SIZE || !last) return
    after = last.slug
  }
}

/** The column is jsonb, which does not keep the order of keys. */
const sortKeys = (settings: Entry): Entry =>
  Object.fromEntries(Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** A declaration cannot add a user with an unverified address, so such members are not exported. */
async function listDeclarableMembers(db: Db, tenantId: string): Promise<Entry[]> {
  const members = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.email', 'memberships.role', 'memberships.status'])
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.status', '<>', 'INVITED')
    .where('users.email_verified', '=', true)
    .orderBy(sql`users.email collate "C"`)
    .execute()
  return members.map(toEntry)
}

const toEntry = ({ email, role, status }: Pick<Member, 'email' | 'role' | 'status'>): Entry => ({
  email,
  role,
  ...(status !== 'ACTIVE' && { status }),
})

/** A tenant and the number of objects that are deleted with it. */
export interface TenantDeletion {
  id: string
  slug: string
  members: number
  subscriptions: number
  seats: number
  clients: number
}

export async function listTenantDeletions(db: Db, slugs: string[]): Promise<TenantDeletion[]> {
  const { rows } = await sql<TenantDeletion>`
    select id, slug,
      (select count(*)::int from memberships where tenant_id = tenants.id) as members,
      (select count(*)::int from subscriptions where tenant_id = tenants.id) as subscriptions,
      (select count(*)::int from seats where tenant_id = tenants.id) as seats,
      (select count(*)::int from clients where tenant_id = tenants.id) as clients
    from tenants where slug = any(${slugs}) order by slug collate "C"
  `.execute(db)
  return rows
}

import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Entry } from '../../declaration/section.ts'
import type { Member } from '../store.ts'

const PAGE = 500

/** Tenants as they would be declared, by slug, some at a time. Who is invited is no member yet. */
export async function* streamTenants(db: Db): AsyncGenerator<Entry> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('tenants')
      .select(['id', 'slug', 'name', 'mfa_policy', 'settings', 'branding_approved', 'suspended_at'])
      .where(sql<boolean>`slug collate "C" > ${after}`)
      .orderBy(sql`slug collate "C"`)
      .limit(PAGE)
      .execute()
    for (const { id, slug, name, ...row } of page) {
      yield {
        ...{ slug, name, mfaPolicy: row.mfa_policy, brandingApproved: row.branding_approved },
        ...{ suspended: row.suspended_at !== null, settings: sorted(row.settings) },
        members: await listStanding(db, id),
      }
    }
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    after = last.slug
  }
}

/** The keys of what people may keep here are in whatever order the database likes best. */
const sorted = (settings: Entry): Entry =>
  Object.fromEntries(Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Whoever is about to be deleted is a member no more, and whoever has not proven the address cannot be made one. */
async function listStanding(db: Db, tenantId: string): Promise<Entry[]> {
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

/** A tenant, and how much goes with it. */
export interface Leaving {
  id: string
  slug: string
  members: number
  subscriptions: number
  seats: number
  clients: number
}

export async function listLeavingTenants(db: Db, slugs: string[]): Promise<Leaving[]> {
  const { rows } = await sql<Leaving>`
    select id, slug,
      (select count(*)::int from memberships where tenant_id = tenants.id) as members,
      (select count(*)::int from subscriptions where tenant_id = tenants.id) as subscriptions,
      (select count(*)::int from seats where tenant_id = tenants.id) as seats,
      (select count(*)::int from clients where tenant_id = tenants.id) as clients
    from tenants where slug = any(${slugs}) order by slug collate "C"
  `.execute(db)
  return rows
}

import type { Role } from '../../db/tables.ts'
import type { Membership } from '../row.ts'

/** How the operator translates names of the other system. */
export interface Mappings {
  /** The role for the name of a role or a group. */
  roles: ReadonlyMap<string, Role>
  /** The slug of the tenant for the name of a group. */
  groups: ReadonlyMap<string, string>
  /** The slug of the tenant for the name or id of an organization. */
  organizations: ReadonlyMap<string, string>
  /** The tenant of users who would be in none. */
  tenant: string | undefined
}

/** The names that a user has in the other system. */
export interface UserNames {
  groups?: string[]
  roles?: string[]
  /** Tenants that the user itself names, by slug. */
  tenants?: string[]
}

/** The memberships of the users, by the key that organizations and groups use for their members. */
export interface MembershipIndex {
  addMember(userKey: string, tenant: string, roles: string[]): void
  addToGroup(userKey: string, group: string): void
  /** The memberships of the user with these keys, with the highest role in each tenant. */
  find(userKeys: (string | undefined)[], names?: UserNames): Membership[]
  /** The tenants for which `find` returned an owner. */
  ownedTenants: ReadonlySet<string>
  /** The names of groups and roles that have no translation, with the number of users. */
  unmapped: ReadonlyMap<string, number>
}

const RANKS: Role[] = ['member', 'admin', 'owner']
const MAX_UNMAPPED = 1_000

export function createMembershipIndex(mappings: Mappings): MembershipIndex {
  const members = new Map<string, { tenant: string; roles: string[] }[]>()
  const groupsByUser = new Map<string, string[]>()
  const ownedTenants = new Set<string>()
  const unmapped = new Map<string, number>()

  const toRole = (names: string[]): Role =>
    names
      .map((name) => mappings.roles.get(name) ?? 'member')
      .reduce<Role>((a, b) => (RANKS.indexOf(b) > RANKS.indexOf(a) ? b : a), 'member')

  const countUnmapped = (names: string[]) => {
    for (const name of new Set(names)) {
      if (mappings.roles.has(name) || mappings.groups.has(name)) continue
      if (unmapped.has(name) || unmapped.size < MAX_UNMAPPED) unmapped.set(name, (unmapped.get(name) ?? 0) + 1)
    }
  }

  return {
    ownedTenants,
    unmapped,
    addMember: (userKey, tenant, roles) => append(members, userKey, { tenant, roles }),
    addToGroup: (userKey, group) => append(groupsByUser, userKey, group),
    find(userKeys, { groups = [], roles = [], tenants = [] } = {}) {
      const keys = userKeys.filter((key) => key !== undefined)
      const allGroups = [...groups, ...keys.flatMap((key) => groupsByUser.get(key) ?? [])]
      const ownRoles = [...roles, ...allGroups]
      const inOrganizations = keys.flatMap((key) => members.get(key) ?? [])
      const inGroups = allGroups.flatMap((group) => mappings.groups.get(group) ?? [])
      const found = [
        ...inOrganizations.map(({ tenant, roles: there }) => ({ tenant, roles: [...ownRoles, ...there] })),
        ...[...inGroups, ...tenants].map((tenant) => ({ tenant, roles: ownRoles })),
      ]
      if (found.length === 0 && mappings.tenant !== undefined) found.push({ tenant: mappings.tenant, roles: ownRoles })
      countUnmapped([...ownRoles, ...inOrganizations.flatMap(({ roles: there }) => there)])
      const rolesByTenant = new Map<string, string[]>()
      for (const { tenant, roles: there } of found) {
        rolesByTenant.set(tenant, [...(rolesByTenant.get(tenant) ?? []), ...there])
      }
      const memberships = [...rolesByTenant].map(([tenant, names]) => ({ tenant, role: toRole(names) }))
      for (const { tenant, role } of memberships) if (role === 'owner') ownedTenants.add(tenant)
      return memberships
    },
  }
}

function append<T>(lists: Map<string, T[]>, key: string, entry: T): void {
  const list = lists.get(key)
  if (list) list.push(entry)
  else lists.set(key, [entry])
}

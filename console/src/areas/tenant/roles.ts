import type { OwnTenant } from '../../me.tsx'

export type Role = OwnTenant['role']

/** The roles that each role may change and grant. The service enforces the same rule. */
const MANAGEABLE_ROLES: Record<Role, Role[]> = {
  owner: ['owner', 'admin', 'member'],
  admin: ['admin', 'member'],
  member: [],
}

export const manageableRoles = (role: Role): Role[] => MANAGEABLE_ROLES[role]

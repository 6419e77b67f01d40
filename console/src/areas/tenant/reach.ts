import type { OwnTenant } from '../../me.tsx'

export type Role = OwnTenant['role']

/** Whom somebody with a role may change, and which roles they may give. The service has the last word. */
const REACH: Record<Role, Role[]> = {
  owner: ['owner', 'admin', 'member'],
  admin: ['admin', 'member'],
  member: [],
}

export const reachOf = (role: Role): Role[] => REACH[role]

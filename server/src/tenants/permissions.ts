import type { Role } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/callers.ts'

/** What a member may do in a tenant, by role. The doors read it, the docs show it, a test knocks at every one. */

const EVERY_MEMBER = ['owner', 'admin', 'member'] as const
const ADMINS = ['owner', 'admin'] as const

export const PERMISSIONS = {
  readTenant: { what: 'See the tenant', roles: EVERY_MEMBER },
  changeTenant: { what: 'Change its name, settings and MFA policy', roles: ADMINS },
  readBranding: { what: 'See its branding', roles: EVERY_MEMBER },
  changeBranding: { what: 'Change its branding', roles: ADMINS },
  deleteTenant: { what: 'Delete the tenant', roles: ['owner'] },
  readMembers: { what: 'See the members', roles: EVERY_MEMBER },
  changeMembers: { what: 'Change the role or the status of a member', roles: ADMINS },
  // At this door everybody may say that they leave.
  removeMembers: { what: 'Remove a member (oneself: leave)', roles: EVERY_MEMBER },
  readLicenses: { what: 'See the licences, and who holds them', roles: EVERY_MEMBER },
  readInvitations: { what: 'See the invitations', roles: ADMINS },
  invite: { what: 'Invite, send an invitation again, revoke it', roles: ADMINS },
  readAudit: { what: 'Read the audit log', roles: ADMINS },
  manageWebhooks: { what: 'See, change and replay webhooks', roles: ADMINS },
} as const satisfies Record<string, { what: string; roles: readonly Role[] }>

/** Whom somebody with a role may change or remove, and which roles they may give. */
export const REACH: Record<Role, readonly Role[]> = {
  owner: ['owner', 'admin', 'member'],
  admin: ['admin', 'member'],
  member: [],
}

/** Whoever changes something in a tenant, and with which role's reach. Operators have no membership to do it by. */
export type Acting = Caller & {
  tenantId: string
  role: Role
  membershipId: string | undefined
  /** The tenant requires a second factor that they have not shown. */
  lacksFactor: boolean
}

/** Whoever runs the instance has the reach of an owner in every tenant. */
export const toOperator = (caller: Caller, tenantId: string): Acting => ({
  ...caller,
  tenantId,
  role: 'owner',
  membershipId: undefined,
  // What is required of operators, the instance requires.
  lacksFactor: false,
})

/** Throws MFA_REQUIRED where the tenant requires a second factor that was not shown. */
export function requireFactor({ lacksFactor }: Pick<Acting, 'lacksFactor'>): void {
  if (lacksFactor) throw new AppError('MFA_REQUIRED')
}

/** Throws FORBIDDEN unless somebody with this role may act on one with that role, or give it. */
export function requireReach(role: Role, over: Role): void {
  if (!REACH[role].includes(over)) throw new AppError('FORBIDDEN')
}

import type { Role } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/routing/callers.ts'

/** The permissions of each role in a tenant. Routes use this table, and the documentation shows it. */

const EVERY_MEMBER = ['owner', 'admin', 'member'] as const
const ADMINS = ['owner', 'admin'] as const

export const PERMISSIONS = {
  readTenant: { what: 'See the tenant', roles: EVERY_MEMBER },
  changeTenant: { what: 'Change its name, settings and MFA policy', roles: ADMINS },
  readBranding: { what: 'See its branding', roles: EVERY_MEMBER },
  changeBranding: { what: 'Change its branding', roles: ADMINS },
  editMails: { what: 'See and edit the texts of its mails', roles: ADMINS },
  deleteTenant: { what: 'Delete the tenant', roles: ['owner'] },
  readMembers: { what: 'See the members', roles: EVERY_MEMBER },
  changeMembers: { what: 'Change the role or the status of a member', roles: ADMINS },
  // Every member may remove their own membership.
  removeMembers: { what: 'Remove a member (oneself: leave)', roles: EVERY_MEMBER },
  readLicenses: { what: 'See the licenses, and who holds them', roles: EVERY_MEMBER },
  readInvitations: { what: 'See the invitations', roles: ADMINS },
  invite: { what: 'Invite, send an invitation again, revoke it', roles: ADMINS },
  readAudit: { what: 'Read the audit log', roles: ADMINS },
  manageWebhooks: { what: 'See, change and replay webhooks', roles: ADMINS },
} as const satisfies Record<string, { what: string; roles: readonly Role[] }>

/** The roles that a member may change, remove and assign, by the role of the member. */
export const MANAGEABLE_ROLES: Record<Role, readonly Role[]> = {
  owner: ['owner', 'admin', 'member'],
  admin: ['admin', 'member'],
  member: [],
}

/** The caller of an operation in a tenant, with the role whose permissions apply. Operators have no membership. */
export type TenantActor = Caller & {
  tenantId: string
  role: Role
  membershipId: string | undefined
  /** Whether the tenant requires a second factor that the session lacks. */
  lacksFactor: boolean
}

/** Operators have the permissions of an owner in every tenant. */
export const toOperatorActor = (caller: Caller, tenantId: string): TenantActor => ({
  ...caller,
  tenantId,
  role: 'owner',
  membershipId: undefined,
  // The MFA policy of a tenant does not apply to operators.
  lacksFactor: false,
})

/** Throws MFA_REQUIRED when the tenant requires a second factor that the session lacks. */
export function requireFactor({ lacksFactor }: Pick<TenantActor, 'lacksFactor'>): void {
  if (lacksFactor) throw new AppError('MFA_REQUIRED')
}

/** Throws FORBIDDEN unless the role may manage and assign the target role. */
export function requireManageable(role: Role, targetRole: Role): void {
  if (!MANAGEABLE_ROLES[role].includes(targetRole)) throw new AppError('FORBIDDEN')
}

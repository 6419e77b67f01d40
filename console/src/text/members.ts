export const members = {
  title: 'Members',
  lead: (tenant: string) => `Who belongs to ${tenant}, and what they may do.`,
  search: 'Search by name or e-mail',
  name: 'Name',
  role: 'Role',
  status: 'Status',
  joined: 'Joined',
  notYet: 'Not yet',
  actions: 'Actions',
  you: 'You',
  anyRole: 'Any role',
  anyStatus: 'Any status',
  roleOf: (name: string) => `Role of ${name}`,
  more: (name: string) => `More for ${name}`,
  nobody: 'Nobody was found',
  nobodyText: 'No member fits this search and these filters.',
  clear: 'Clear search and filters',
  roleChanged: (name: string, role: string) => `${name} is now ${role}.`,
  ownRole: {
    title: 'Change your own role?',
    text: (role: string) =>
      `You will be ${role} in this tenant. What your role allowed you before, only somebody who still has it can give back.`,
    action: 'Change my role',
  },
  suspend: 'Suspend',
  suspended: (name: string) => `${name} is suspended and cannot enter this tenant.`,
  reactivate: 'Reactivate',
  reactivated: (name: string) => `${name} can enter this tenant again.`,
  suspendSelf: {
    title: 'Suspend yourself?',
    text: 'You will not be able to enter this tenant. Only another admin or owner can let you in again.',
    action: 'Suspend myself',
  },
  seeInvitation: 'See the invitation',
  remove: {
    action: 'Remove',
    title: (name: string) => `Remove ${name}?`,
    text: (name: string, tenant: string) =>
      `${name} loses access to ${tenant} at once, and their seats fall free. Their account stays, and you can invite them again.`,
    confirm: 'Remove member',
    done: (name: string) => `${name} was removed.`,
  },
  leave: {
    action: 'Leave this tenant',
    title: (tenant: string) => `Leave ${tenant}?`,
    text: 'You lose access at once, and your seats fall free. Somebody who runs the tenant must invite you to come back.',
    confirm: 'Leave',
  },
}

export const roles = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  what: {
    owner: 'May do everything, also delete the tenant.',
    admin: 'Looks after members, seats and settings.',
    member: 'Uses what the tenant has.',
  },
  as: { owner: 'an owner', admin: 'an admin', member: 'a member' },
}

export const memberStatus = { ACTIVE: 'Active', INVITED: 'Invited', SUSPENDED: 'Suspended' }

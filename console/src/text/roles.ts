export const roles = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  what: {
    owner: 'Can do everything, including deleting the tenant.',
    admin: 'Manages members, seats and settings.',
    member: 'Uses the applications of the tenant.',
  },
  as: { owner: 'an owner', admin: 'an admin', member: 'a member' },
}

export const memberStatus = { ACTIVE: 'Active', INVITED: 'Invited', SUSPENDED: 'Suspended' }

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

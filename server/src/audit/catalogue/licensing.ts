import { defineKinds } from './kind.ts'

export const licensingKinds = defineKinds({
  'license.granted': { says: 'A member was given a seat.' },
  'license.revoked': { says: 'A seat was taken from a member.' },
  'license.changed': { says: 'A member has a seat of another type.' },
  'license_type.created': { says: 'A licence type was made.' },
  'license_type.changed': { says: 'A licence type was changed.' },
  'license_type.deleted': { says: 'A licence type was deleted, with what was sold of it.' },
  'subscription.created': { says: 'A tenant bought seats.' },
  'subscription.changed': { says: 'Quantity, status or end of a subscription were changed.' },
  'subscription.lapsed': { says: 'The time of a subscription is over: its seats rest.' },
  'subscription.deleted': { says: 'A subscription was deleted, with its seats.' },
})

import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

const nullableText = Type.Union([Type.String(), Type.Null()])
const closed = { additionalProperties: false }

/** What of a licence type, and of a subscription, is told when it is gone. */
const typeState = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    description: nullableText,
    features: Type.Record(Type.String(), Type.Boolean()),
    displayOrder: Type.Integer(),
    status: Type.String(),
  },
  closed,
)
const subscriptionState = Type.Object(
  { quantityPurchased: Type.Integer(), status: Type.String(), currentPeriodEnd: Type.Unknown() },
  closed,
)

export const licensingKinds = defineKinds({
  'license.granted': { says: 'A member was given a seat.' },
  'license.revoked': { says: 'A seat was taken from a member.' },
  'license.changed': { says: 'A member has a seat of another type.' },
  'license_type.created': { says: 'A licence type was made.' },
  'license_type.changed': { says: 'A licence type was changed.' },
  'license_type.deleted': {
    says: 'A licence type was deleted, with what was sold of it.',
    details: Type.Object(
      { licenseTypeId: Type.String(), applicationId: Type.String(), before: typeState },
      closed,
    ),
    example: {
      licenseTypeId: '0197a2b0-7d5c-7000-8000-0000000000a1',
      applicationId: '0197a2b0-7d5c-7000-8000-0000000000b2',
      before: {
        ...{ slug: 'pro', name: 'Pro', description: null, features: { export: true } },
        ...{ displayOrder: 2, status: 'ARCHIVED' },
      },
    },
  },
  'subscription.created': { says: 'A tenant bought seats.' },
  'subscription.changed': { says: 'Quantity, status or end of a subscription were changed.' },
  'subscription.lapsed': { says: 'The time of a subscription is over: its seats rest.' },
  'subscription.deleted': {
    says: 'A subscription was deleted, with its seats.',
    details: Type.Object(
      {
        subscriptionId: Type.String(),
        licenseTypeId: Type.String(),
        seats: Type.Integer({ description: 'How many were held or kept for somebody' }),
        before: subscriptionState,
      },
      closed,
    ),
    example: {
      subscriptionId: '0197a2b0-7d5c-7000-8000-0000000000c3',
      licenseTypeId: '0197a2b0-7d5c-7000-8000-0000000000a1',
      seats: 3,
      before: { quantityPurchased: 5, status: 'ACTIVE', currentPeriodEnd: null },
    },
  },
})

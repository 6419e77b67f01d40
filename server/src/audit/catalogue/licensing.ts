import { Type } from 'typebox'
import { defineKinds, facts, Id, Moment, nullable, SAMPLE, some, telling } from './kind.ts'

const Seat = facts({ applicationId: Id, licenseTypeId: Id })
const TypeState = {
  slug: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  features: Type.Record(Type.String(), Type.Boolean()),
  displayOrder: Type.Integer(),
  status: Type.Enum(['ACTIVE', 'ARCHIVED']),
}
const SubscriptionState = {
  quantityPurchased: Type.Integer(),
  status: Type.Enum(['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED']),
  currentPeriodEnd: nullable(Moment),
}

const seat = { applicationId: SAMPLE.application, licenseTypeId: SAMPLE.licenseType }
const subscription = { subscriptionId: SAMPLE.subscription, licenseTypeId: SAMPLE.licenseType }

export const licensingKinds = defineKinds({
  'license.granted': { says: 'A member was given a seat.', ...telling(Seat, seat) },
  'license.revoked': { says: 'A seat was taken from a member.', ...telling(Seat, seat) },
  'license.changed': {
    says: 'A member has a seat of another type.',
    ...telling(facts({ applicationId: Id, licenseTypeId: Id, before: facts({ licenseTypeId: Id }) }), {
      ...seat,
      before: { licenseTypeId: SAMPLE.otherLicenseType },
    }),
  },
  'license_type.created': {
    says: 'A licence type was made.',
    ...telling(facts({ licenseTypeId: Id, applicationId: Id, after: facts(TypeState) }), {
      ...seat,
      after: {
        ...{ slug: 'pro', name: 'Pro', description: null, features: { reports: true } },
        ...{ displayOrder: 1, status: 'ACTIVE' },
      },
    }),
  },
  'license_type.changed': {
    says: 'A licence type was changed.',
    ...telling(
      facts({ licenseTypeId: Id, applicationId: Id, before: some(TypeState), after: some(TypeState) }),
      {
        ...seat,
        before: { features: { reports: true } },
        after: { features: { reports: true, exports: true } },
      },
    ),
  },
  'license_type.deleted': {
    says: 'A licence type was deleted, with what was sold of it.',
    ...telling(facts({ licenseTypeId: Id, applicationId: Id, before: facts(TypeState) }), {
      ...seat,
      before: {
        ...{ slug: 'pro', name: 'Pro', description: null, features: { reports: true } },
        ...{ displayOrder: 1, status: 'ARCHIVED' },
      },
    }),
  },
  'subscription.created': {
    says: 'A tenant bought seats.',
    ...telling(facts({ subscriptionId: Id, licenseTypeId: Id, after: facts(SubscriptionState) }), {
      ...subscription,
      after: { quantityPurchased: 25, status: 'ACTIVE', currentPeriodEnd: '2027-01-01T00:00:00.000Z' },
    }),
  },
  'subscription.changed': {
    says: 'Quantity, status or end of a subscription were changed.',
    ...telling(
      facts({
        subscriptionId: Id,
        licenseTypeId: Id,
        before: some(SubscriptionState),
        after: some(SubscriptionState),
      }),
      { ...subscription, before: { quantityPurchased: 25 }, after: { quantityPurchased: 40 } },
    ),
  },
  'subscription.lapsed': {
    says: 'The time of a subscription is over: its seats rest.',
    ...telling(facts({ subscriptionId: Id, licenseTypeId: Id, at: nullable(Moment) }), {
      ...subscription,
      at: '2027-01-01T00:00:00.000Z',
    }),
  },
  'subscription.deleted': {
    says: 'A subscription was deleted, with its seats.',
    ...telling(
      facts({
        subscriptionId: Id,
        licenseTypeId: Id,
        seats: Type.Integer({ description: 'How many were held, or kept for somebody' }),
        before: facts(SubscriptionState),
      }),
      {
        ...{ ...subscription, seats: 3 },
        before: { quantityPurchased: 5, status: 'ACTIVE', currentPeriodEnd: null },
      },
    ),
  },
})

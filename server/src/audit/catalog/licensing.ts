import { Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { defineActions, Id, nullable, partialObject, SAMPLE_IDS, strictObject, withExample } from './definition.ts'

const Seat = strictObject({ applicationId: Id, licenseTypeId: Id })
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
  currentPeriodEnd: nullable(Timestamp),
}

const seat = { applicationId: SAMPLE_IDS.application, licenseTypeId: SAMPLE_IDS.licenseType }
const subscription = { subscriptionId: SAMPLE_IDS.subscription, licenseTypeId: SAMPLE_IDS.licenseType }
const pro = { slug: 'pro', name: 'Pro', description: null, features: { reports: true }, displayOrder: 1 }

export const licensingActions = defineActions({
  'license.granted': { summary: 'A seat was granted to a member.', ...withExample(Seat, seat) },
  'license.revoked': { summary: 'A seat was taken from a member.', ...withExample(Seat, seat) },
  'license.changed': {
    summary: 'The license type of a seat was changed.',
    ...withExample(
      strictObject({ applicationId: Id, licenseTypeId: Id, before: strictObject({ licenseTypeId: Id }) }),
      {
        ...seat,
        before: { licenseTypeId: SAMPLE_IDS.otherLicenseType },
      },
    ),
  },
  'license_type.created': {
    summary: 'A license type was created.',
    ...withExample(strictObject({ licenseTypeId: Id, applicationId: Id, after: strictObject(TypeState) }), {
      ...seat,
      after: { ...pro, status: 'ACTIVE' },
    }),
  },
  'license_type.changed': {
    summary: 'A license type was changed.',
    ...withExample(
      strictObject({
        licenseTypeId: Id,
        applicationId: Id,
        before: partialObject(TypeState),
        after: partialObject(TypeState),
      }),
      {
        ...seat,
        before: { features: { reports: true } },
        after: { features: { reports: true, exports: true } },
      },
    ),
  },
  'license_type.deleted': {
    summary: 'A license type was deleted, together with its subscriptions.',
    ...withExample(strictObject({ licenseTypeId: Id, applicationId: Id, before: strictObject(TypeState) }), {
      ...seat,
      before: { ...pro, status: 'ARCHIVED' },
    }),
  },
  'subscription.created': {
    summary: 'A tenant bought seats.',
    ...withExample(strictObject({ subscriptionId: Id, licenseTypeId: Id, after: strictObject(SubscriptionState) }), {
      ...subscription,
      after: { quantityPurchased: 25, status: 'ACTIVE', currentPeriodEnd: '2027-01-01T00:00:00.000Z' },
    }),
  },
  'subscription.changed': {
    summary: 'Quantity, status or end of a subscription were changed.',
    ...withExample(
      strictObject({
        subscriptionId: Id,
        licenseTypeId: Id,
        before: partialObject(SubscriptionState),
        after: partialObject(SubscriptionState),
      }),
      { ...subscription, before: { quantityPurchased: 25 }, after: { quantityPurchased: 40 } },
    ),
  },
  'subscription.lapsed': {
    summary: 'A subscription has ended. Its seats are kept, but grant nothing.',
    ...withExample(strictObject({ subscriptionId: Id, licenseTypeId: Id, at: nullable(Timestamp) }), {
      ...subscription,
      at: '2027-01-01T00:00:00.000Z',
    }),
  },
  'subscription.deleted': {
    summary: 'A subscription was deleted, together with its seats.',
    // `seats` counts granted and reserved seats.
    ...withExample(
      strictObject({
        subscriptionId: Id,
        licenseTypeId: Id,
        seats: Type.Integer(),
        before: strictObject(SubscriptionState),
      }),
      {
        ...subscription,
        seats: 3,
        before: { quantityPurchased: 5, status: 'ACTIVE', currentPeriodEnd: null },
      },
    ),
  },
})

import { type Static, Type } from 'typebox'
import { LEDGER_REASONS } from '../db/tables/licensing.ts'
import { Timestamp } from '../http/routing/schema.ts'
import { applicationIdField as applicationId } from './application-id.ts'

const nullableDateTime = Type.Union([Timestamp, Type.Null()])
const nullableText = Type.Union([Type.String(), Type.Null()])
const Features = Type.Unsafe<Record<string, boolean>>({
  type: 'object',
  // With additionalProperties the validator would remove the keys.
  patternProperties: { '^': { type: 'boolean' } },
  description: 'The features of the license type: key and whether it is enabled',
})

export const ById = Type.Object({ id: Type.String() })
export const ByTenantId = Type.Object({ tenantId: Type.String() })

export const TypesQuery = Type.Object({ applicationId })

const TypeStatus = Type.Enum(['ACTIVE', 'ARCHIVED'])
export const displayOrder = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: 'Lists are sorted by it, ascending; of several tenant-wide licenses the highest applies',
})

export const LicenseTypeBody = Type.Object(
  {
    id: Type.String(),
    applicationId: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    description: nullableText,
    features: Type.Object({}, { additionalProperties: Type.Boolean() }),
    displayOrder: Type.Integer(),
    status: TypeStatus,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'LicenseType' },
)
export type LicenseTypeBody = Static<typeof LicenseTypeBody>

const text = Type.String({ maxLength: 1_000 })
export const description = Type.Optional(Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()]))

export const CreateLicenseTypeRequest = Type.Object(
  {
    applicationId,
    name: text,
    slug: text,
    description,
    features: Type.Optional(Features),
    displayOrder: Type.Optional(displayOrder),
  },
  { title: 'CreateLicenseTypeRequest' },
)

export const UpdateLicenseTypeRequest = Type.Object(
  {
    name: Type.Optional(text),
    slug: Type.Optional(text),
    description,
    features: Type.Optional(Features),
    displayOrder: Type.Optional(displayOrder),
    status: Type.Optional(TypeStatus),
  },
  { title: 'UpdateLicenseTypeRequest' },
)

export const SubscriptionStatus = Type.Enum(['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED'])

const summaryFields = {
  applicationId: Type.String(),
  applicationName: Type.String(),
  licenseTypeId: Type.String(),
  licenseTypeName: Type.String(),
  quantityPurchased: Type.Integer(),
  quantityAssigned: Type.Integer(),
  quantityAvailable: Type.Integer(),
  status: SubscriptionStatus,
}

export const Overview = Type.Object(
  {
    tenantId: Type.String(),
    tenantName: Type.String(),
    totalSeatsOwned: Type.Integer({ description: 'Only of subscriptions that are not expired' }),
    totalSeatsAssigned: Type.Integer(),
    totalSeatsAvailable: Type.Integer(),
    subscriptions: Type.Array(Type.Object(summaryFields, { title: 'SubscriptionEntry' })),
  },
  { title: 'LicenseOverview' },
)

export const SubscriptionBody = Type.Object(
  {
    id: Type.String(),
    ...summaryFields,
    licenseTypeSlug: Type.String(),
    currentPeriodStart: Timestamp,
    currentPeriodEnd: nullableDateTime,
    createdAt: Timestamp,
  },
  { title: 'Subscription' },
)

export const quantityPurchased = Type.Integer({ minimum: 0, maximum: 10_000_000 })

export const CreateSubscriptionRequest = Type.Object(
  {
    licenseTypeId: Type.String(),
    quantityPurchased,
    status: Type.Optional(SubscriptionStatus),
    currentPeriodEnd: Type.Optional(nullableDateTime),
  },
  { title: 'CreateSubscriptionRequest' },
)

export const UpdateSubscriptionRequest = Type.Object(
  {
    quantityPurchased: Type.Optional(quantityPurchased),
    status: Type.Optional(SubscriptionStatus),
    currentPeriodEnd: Type.Optional(nullableDateTime),
  },
  { title: 'UpdateSubscriptionRequest' },
)

export const LedgerQuery = Type.Object({
  after: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'The last sequence that was read',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  order: Type.Enum(['asc', 'desc'], {
    default: 'asc',
    description: 'desc: newest first; `after` then lists the entries before that sequence',
  }),
})

const state = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

export const Ledger = Type.Object(
  {
    entries: Type.Array(
      Type.Object(
        {
          sequence: Type.Integer(),
          occurredAt: Timestamp,
          actor: Type.Union([Type.String(), Type.Null()], {
            description: 'user:<id> or client:<client id>; null: the service itself',
          }),
          reason: Type.Enum([...LEDGER_REASONS]),
          subject: Type.Enum(['seat', 'subscription']),
          subjectId: Type.String(),
          userId: Type.Union([Type.String(), Type.Null()], {
            description: 'The holder of the seat; null for a subscription, and for a seat reserved by an invitation',
          }),
          applicationId: Type.String(),
          before: state,
          after: state,
        },
        { title: 'LedgerEntry' },
      ),
    ),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The `after` of the next page; null at the end',
    }),
  },
  { title: 'LicenseLedger' },
)

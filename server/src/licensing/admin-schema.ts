import { type Static, Type } from 'typebox'
import { LEDGER_REASONS } from '../db/tables.ts'
import { applicationIdField as applicationId } from './application-id.ts'

const Moment = Type.String({ format: 'date-time' })
const nullableMoment = Type.Union([Moment, Type.Null()])
const nullableText = Type.Union([Type.String(), Type.Null()])
const Features = Type.Unsafe<Record<string, boolean>>({
  type: 'object',
  // The validator would take additional properties away.
  patternProperties: { '^': { type: 'boolean' } },
  description: 'What a licence of this type lets people do, by key',
})

export const ById = Type.Object({ id: Type.String() })
export const ByTenantId = Type.Object({ tenantId: Type.String() })

export const TypesQuery = Type.Object({ applicationId })

const TypeStatus = Type.Enum(['ACTIVE', 'ARCHIVED'])
export const displayOrder = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: 'The lowest comes first, the highest is the best',
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
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'LicenseType' },
)
export type LicenseTypeBody = Static<typeof LicenseTypeBody>

const text = Type.String({ maxLength: 1_000 })
export const description = Type.Optional(Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()]))

export const NewLicenseType = Type.Object(
  {
    applicationId,
    name: text,
    slug: text,
    description,
    features: Type.Optional(Features),
    displayOrder: Type.Optional(displayOrder),
  },
  { title: 'NewLicenseType' },
)

export const LicenseTypeChange = Type.Object(
  {
    name: Type.Optional(text),
    slug: Type.Optional(text),
    description,
    features: Type.Optional(Features),
    displayOrder: Type.Optional(displayOrder),
    status: Type.Optional(TypeStatus),
  },
  { title: 'LicenseTypeChange' },
)

export const SubscriptionStatus = Type.Enum(['ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED'])

const entry = {
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
    totalSeatsOwned: Type.Integer({ description: 'Of the subscriptions that are good' }),
    totalSeatsAssigned: Type.Integer(),
    totalSeatsAvailable: Type.Integer(),
    subscriptions: Type.Array(Type.Object(entry, { title: 'SubscriptionEntry' })),
  },
  { title: 'LicenseOverview' },
)

export const SubscriptionBody = Type.Object(
  {
    id: Type.String(),
    ...entry,
    licenseTypeSlug: Type.String(),
    currentPeriodStart: Moment,
    currentPeriodEnd: nullableMoment,
    createdAt: Moment,
  },
  { title: 'Subscription' },
)

export const quantityPurchased = Type.Integer({ minimum: 0, maximum: 10_000_000 })

export const NewSubscriptionRequest = Type.Object(
  {
    licenseTypeId: Type.String(),
    quantityPurchased,
    status: Type.Optional(SubscriptionStatus),
    currentPeriodEnd: Type.Optional(nullableMoment),
  },
  { title: 'NewSubscription' },
)

export const SubscriptionChangeRequest = Type.Object(
  {
    quantityPurchased: Type.Optional(quantityPurchased),
    status: Type.Optional(SubscriptionStatus),
    currentPeriodEnd: Type.Optional(nullableMoment),
  },
  { title: 'SubscriptionChange' },
)

export const LedgerQuery = Type.Object({
  after: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'The last sequence known',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  order: Type.Enum(['asc', 'desc'], {
    default: 'asc',
    description: 'desc: the newest first, or those before the one that `after` names',
  }),
})

const state = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

export const Ledger = Type.Object(
  {
    entries: Type.Array(
      Type.Object(
        {
          sequence: Type.Integer(),
          occurredAt: Moment,
          actor: Type.Union([Type.String(), Type.Null()], {
            description: 'user:<id> or client:<client id>; null: the service itself',
          }),
          reason: Type.Enum([...LEDGER_REASONS]),
          subject: Type.Enum(['seat', 'subscription']),
          subjectId: Type.String(),
          userId: Type.Union([Type.String(), Type.Null()], {
            description: 'Whose seat; null of one that is kept for somebody who is INVITED',
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

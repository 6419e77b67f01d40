import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../http/pagination.ts'
import { SubscriptionStatus } from './admin-schema.ts'

/** What the members of a tenant see of its licences. */

const Moment = Type.String({ format: 'date-time' })
const nullableText = Type.Union([Type.String(), Type.Null()])

export const ByTenant = Type.Object({ id: Type.String() })
export const ByTenantAndApplication = Type.Object({ id: Type.String(), applicationId: Type.String() })

const seats = { purchased: Type.Integer(), assigned: Type.Integer(), available: Type.Integer() }

export const LicensedApplication = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    licensingMode: Type.Enum(['PER_SEAT', 'TENANT_WIDE', 'FREE']),
    seats: Type.Object(seats, { description: 'Of the subscriptions that are good' }),
    licenseTypes: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          slug: Type.String(),
          name: Type.String(),
          description: nullableText,
          features: Type.Object({}, { additionalProperties: Type.Boolean() }),
          subscriptionId: Type.Union([Type.String(), Type.Null()], {
            description: 'null: it is free for all',
          }),
          status: Type.Union([SubscriptionStatus, Type.Null()]),
          currentPeriodEnd: Type.Union([Moment, Type.Null()]),
          ...seats,
        },
        { title: 'LicensedType' },
      ),
      {
        description:
          'What was bought, whatever its status; where the application is free, what everybody holds',
      },
    ),
  },
  { title: 'LicensedApplication' },
)
export type LicensedApplication = Static<typeof LicensedApplication>

export const TenantLicenses = Type.Object(
  { applications: Type.Array(LicensedApplication, { description: 'By name' }) },
  { title: 'TenantLicenses' },
)

export const RosterQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'As in the list of members: words, each the beginning of the address or of a name',
    }),
  ),
  licensed: Type.Optional(Type.Boolean({ description: 'Only those who hold a licence, or who hold none' })),
  licenseTypeId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only those who hold a licence of this type' }),
  ),
})
export type RosterQuery = Static<typeof RosterQuery>

export const SeatBody = Type.Object(
  {
    userId: Type.String(),
    membershipId: Type.String(),
    displayName: Type.String(),
    email: Type.String(),
    role: Type.Enum(['owner', 'admin', 'member']),
    license: Type.Union(
      [
        Type.Object({
          licenseTypeId: Type.String(),
          slug: Type.String(),
          name: Type.String(),
          assignedAt: Moment,
        }),
        Type.Null(),
      ],
      { description: 'What they hold at this moment; null: nothing' },
    ),
  },
  { title: 'SeatOfMember' },
)
export type SeatBody = Static<typeof SeatBody>

export const RosterPage = Type.Object(
  {
    seats: Type.Array(SeatBody, { description: 'Every ACTIVE member, by display name' }),
    pagination: Pagination,
  },
  { title: 'SeatPage' },
)
export type RosterPage = Static<typeof RosterPage>

export const UsageQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 366, default: 90, description: 'So many days up to today' }),
})

const DayOfUsage = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'By UTC' }),
    purchased: Type.Integer({ description: 'Of the subscriptions that were good when the day ended' }),
    assigned: Type.Integer(),
  },
  { title: 'DayOfUsage' },
)
export type DayOfUsage = Static<typeof DayOfUsage>

export const LicenseUsage = Type.Object(
  {
    days: Type.Array(DayOfUsage, {
      description: 'The oldest first, today as it is now; none where nobody is given a seat',
    }),
  },
  { title: 'LicenseUsage' },
)

import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../http/routing/pagination.ts'
import { Timestamp } from '../http/routing/schema.ts'
import { SubscriptionStatus } from './admin-schema.ts'

const nullableText = Type.Union([Type.String(), Type.Null()])

export const ByTenant = Type.Object({ id: Type.String() })
export const ByTenantAndApplication = Type.Object({ id: Type.String(), applicationId: Type.String() })

const seatCounts = { purchased: Type.Integer(), assigned: Type.Integer(), available: Type.Integer() }

export const LicensedApplication = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    licensingMode: Type.Enum(['PER_SEAT', 'TENANT_WIDE', 'FREE']),
    seats: Type.Object(seatCounts, { description: 'Only of subscriptions that are not expired' }),
    licenseTypes: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          slug: Type.String(),
          name: Type.String(),
          description: nullableText,
          features: Type.Object({}, { additionalProperties: Type.Boolean() }),
          subscriptionId: Type.Union([Type.String(), Type.Null()], {
            description: 'null: the type is free',
          }),
          status: Type.Union([SubscriptionStatus, Type.Null()]),
          currentPeriodEnd: Type.Union([Timestamp, Type.Null()]),
          ...seatCounts,
        },
        { title: 'LicensedType' },
      ),
      {
        description: 'The subscriptions in every status; for a free application also the type that every member holds',
      },
    ),
  },
  { title: 'LicensedApplication' },
)
export type LicensedApplication = Static<typeof LicensedApplication>

export const TenantLicenses = Type.Object(
  { applications: Type.Array(LicensedApplication, { description: 'Sorted by name' }) },
  { title: 'TenantLicenses' },
)

export const RosterQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'Words, each a prefix of the email address or of a name, as in the list of members',
    }),
  ),
  licensed: Type.Optional(
    Type.Boolean({ description: 'true: only members with a license; false: only members without one' }),
  ),
  licenseTypeId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only members with a license of this type' }),
  ),
  sort: Type.Enum(['displayName', '-displayName'], {
    default: 'displayName',
    description: 'With a minus: from Z to A',
  }),
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
          assignedAt: Timestamp,
        }),
        Type.Null(),
      ],
      { description: 'The license that the member holds now, or null' },
    ),
  },
  { title: 'MemberSeat' },
)
export type SeatBody = Static<typeof SeatBody>

export const RosterPage = Type.Object(
  {
    seats: Type.Array(SeatBody, { description: 'All ACTIVE members, sorted by display name' }),
    pagination: Pagination,
  },
  { title: 'SeatPage' },
)
export type RosterPage = Static<typeof RosterPage>

export const UsageQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 366,
    default: 90,
    description: 'The number of days, up to and including today',
  }),
})

const DailyLicenseUsage = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In UTC' }),
    purchased: Type.Integer({
      description: 'Only of subscriptions that were not expired at the end of the day',
    }),
    assigned: Type.Integer(),
  },
  { title: 'DailyLicenseUsage' },
)
export type DailyLicenseUsage = Static<typeof DailyLicenseUsage>

export const LicenseUsage = Type.Object(
  {
    days: Type.Array(DailyLicenseUsage, {
      description: 'Oldest first, today as of now; empty if the application is not licensed per seat',
    }),
  },
  { title: 'LicenseUsage' },
)

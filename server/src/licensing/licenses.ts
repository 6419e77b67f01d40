import type { Ctx } from '../context.ts'
import type { LicensingMode, MembershipStatus } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { NIL_ID, toId } from '../lib/ids.ts'
import { requireApplicationId } from './application-id.ts'
import { type EligibilityRow, findEligibilityRow } from './checks/store.ts'
import { findUsableUntil, isBeforeEnd } from './periods.ts'

/** A license that a user is entitled to, and when it ends. */
interface Entitlement {
  type: string
  name: string
  /** Sorted alphabetically. */
  features: string[]
  since: Date | undefined
  /** Null if it has no end. */
  until: Date | null
}

/** The stored state that decides which license a user holds in a tenant; only the time is missing. */
export interface Eligibility {
  mode: LicensingMode
  /** The revision of the tenant's ledger at which this was read. */
  revision: bigint
  /** Whether the tenant is suspended. */
  suspended: boolean
  /** Whether the account is disabled. */
  disabled: boolean
  status: MembershipStatus | undefined
  joinedAt: Date | undefined
  /** In order of precedence: the first one that has not ended is the license. */
  entitlements: Entitlement[]
}

export interface License {
  type: string
  name: string
  features: string[]
  assignedAt: Date
}

export interface LicenseQuery {
  tenantId: string
  userId: string
  /** Not validated by the schema; an invalid id is refused with INVALID_APPLICATION_ID. */
  applicationId?: unknown
  /** The oldest acceptable revision of the tenant's ledger. */
  minRevision?: bigint | undefined
}

/**
 * Finds the license that a user holds now. The eligibility is cached until the database announces a change to it; the
 * end of a license is compared with the clock at every call.
 */
export const findLicense = async (ctx: Ctx, query: LicenseQuery): Promise<License | undefined> =>
  findLicenseAt(await getEligibility(ctx, query), ctx.now())

type EligibilityKey = Record<'tenantId' | 'userId' | 'applicationId', string>

/** Throws INVALID_APPLICATION_ID if the application does not exist. */
export async function getEligibility(ctx: Ctx, query: LicenseQuery): Promise<Eligibility> {
  const { tenantId, minRevision = 0n } = query
  const applicationId = requireApplicationId(query.applicationId)
  // An invalid user id is treated like an unknown user.
  const key = { tenantId, applicationId, userId: toId(query.userId) ?? NIL_ID }
  const eligibility = await ctx.licenseCache.getOrLoad(
    `${tenantId}:${key.userId}:${applicationId}`,
    async () => {
      const row = await findEligibilityRow(ctx.db, key)
      return row && { value: toEligibility(row), subjects: toChangeSubjects(key) }
    },
    ({ revision }) => revision >= minRevision,
  )
  if (!eligibility) throw new AppError('INVALID_APPLICATION_ID')
  return eligibility
}

/** The change notifications that invalidate a cached eligibility. */
const toChangeSubjects = ({ tenantId, userId, applicationId }: EligibilityKey): string[] => [
  `application:${applicationId}`,
  `license_types:${applicationId}`,
  `subscriptions:${tenantId}`,
  `seat:${tenantId}:${userId}`,
  `member:${tenantId}:${userId}`,
  `user:${userId}`,
  `tenant:${tenantId}`,
]

function toEligibility(row: EligibilityRow): Eligibility {
  return {
    mode: row.mode,
    revision: BigInt(row.revision),
    suspended: row.suspended,
    disabled: row.disabled ?? false,
    status: row.status ?? undefined,
    joinedAt: row.joined_at ?? undefined,
    entitlements: row.entitlements.flatMap(({ slug, name, features, since, status, end }) => {
      const until = findUsableUntil({ status, currentPeriodEnd: end === null ? null : new Date(end) })
      if (until === undefined) return []
      const enabled = Object.keys(features).filter((key) => features[key])
      return [{ type: slug, name, features: enabled.sort(), since: since ? new Date(since) : undefined, until }]
    }),
  }
}

/** Only ACTIVE members with an enabled account hold a license, and only while the tenant is not suspended. */
export function findLicenseAt(eligibility: Eligibility, now: Date): License | undefined {
  const { suspended, disabled, status, joinedAt, entitlements } = eligibility
  if (suspended || disabled || status !== 'ACTIVE' || joinedAt === undefined) return undefined
  const held = entitlements.find(({ until }) => isBeforeEnd(now, until))
  if (!held) return undefined
  const { type, name, features, since = joinedAt } = held
  // Without seats, a member who joined after the subscription began holds the license since joining.
  const assignedAt = since > joinedAt ? since : joinedAt
  return { type, name, features, assignedAt }
}

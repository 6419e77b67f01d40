import type { Ctx } from '../context.ts'
import type { LicensingMode, MembershipStatus } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { restUntil } from '../lib/grounds.ts'
import { NO_ID, toId } from '../lib/ids.ts'
import { requireApplicationId } from './application-id.ts'
import { findStandingRow, type StandingRow } from './checks/store.ts'
import { goodUntil, isBefore } from './periods.ts'

/** A licence that somebody may hold, and until when it is good. */
interface Holding {
  type: string
  name: string
  /** In the order of the alphabet. */
  features: string[]
  since: Date | undefined
  /** Null: without an end. */
  until: Date | null
}

/** Everything on which it depends whether somebody in a tenant may use an application. */
export interface Standing {
  mode: LicensingMode
  /** How far the tenant's ledger had come. */
  revision: bigint
  /** The tenant is: nobody holds anything there meanwhile. */
  suspended: boolean
  disabled: boolean
  status: MembershipStatus | undefined
  joinedAt: Date | undefined
  /** Whichever of these is good first is what they hold. */
  holdings: Holding[]
}

export interface License {
  type: string
  name: string
  features: string[]
  assignedAt: Date
}

/** Whose licence for what. */
export interface Question {
  tenantId: string
  userId: string
  /** Whatever was said; what is no id of one is refused. */
  applicationId?: unknown
  /** The answer must know the ledger up to here. */
  minRevision?: bigint | undefined
}

/**
 * What somebody holds at this moment; undefined: nothing, for whatever reason. What it depends on is remembered until
 * the database announces a change of any of it; the clock is asked each time.
 */
export const findLicense = (ctx: Ctx, question: Question): Eventual<License | undefined> =>
  whenThere(getStanding(ctx, question), (standing) => licenseAt(standing, ctx.now()))

type Key = Record<'tenantId' | 'userId' | 'applicationId', string>

/** Throws INVALID_APPLICATION_ID when there is no such application. */
export function getStanding(ctx: Ctx, question: Question): Eventual<Standing> {
  const { tenantId, minRevision = 0n } = question
  const applicationId = requireApplicationId(question.applicationId)
  // Whatever is no id is nobody's.
  const key = { tenantId, applicationId, userId: toId(question.userId) ?? NO_ID }
  const standing = ctx.licenses.recall(
    `${tenantId}:${key.userId}:${applicationId}`,
    async () => {
      const row = await findStandingRow(ctx.db, key)
      return row && { value: toStanding(row), subjects: subjectsOf(key) }
    },
    ({ revision }) => revision >= minRevision,
  )
  return whenThere(standing, (known) => {
    if (!known) throw new AppError('INVALID_APPLICATION_ID')
    return known
  })
}

const subjectsOf = ({ tenantId, userId, applicationId }: Key): string[] => [
  `application:${applicationId}`,
  `license_types:${applicationId}`,
  `subscriptions:${tenantId}`,
  `seat:${tenantId}:${userId}`,
  `member:${tenantId}:${userId}`,
  `user:${userId}`,
  `tenant:${tenantId}`,
]

function toStanding(row: StandingRow): Standing {
  return {
    mode: row.mode,
    revision: BigInt(row.revision),
    suspended: row.suspended,
    disabled: row.disabled ?? false,
    status: row.status ?? undefined,
    joinedAt: row.joined_at ?? undefined,
    holdings: row.holdings.flatMap(({ slug, name, features, since, status, end }) => {
      const until = goodUntil({ status, currentPeriodEnd: end === null ? null : new Date(end) })
      if (until === undefined) return []
      const own = Object.keys(features).filter((key) => features[key])
      return [{ type: slug, name, features: own.sort(), since: since ? new Date(since) : undefined, until }]
    }),
  }
}

/** Only ACTIVE members who are not disabled hold anything, and only in a tenant that is not suspended. */
export function licenseAt(standing: Standing, now: Date): License | undefined {
  const { suspended, disabled, status, joinedAt, holdings } = standing
  if (suspended || disabled || status !== 'ACTIVE' || joinedAt === undefined) return undefined
  for (const { until } of holdings) if (until && now < until) restUntil(until)
  const held = holdings.find(({ until }) => isBefore(now, until))
  if (!held) return undefined
  const { type, name, features, since = joinedAt } = held
  // Where nobody is given a seat, who joins later has it from then on.
  const assignedAt = since > joinedAt ? since : joinedAt
  return { type, name, features, assignedAt }
}

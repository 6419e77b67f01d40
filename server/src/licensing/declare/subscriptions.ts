import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import {
  describeCascade,
  describeFields,
  findDifference,
  requireNotAbsent,
  requireUniqueKeys,
  withEntryContext,
} from '../../declaration/compare.ts'
import type { Change, Entry, Section } from '../../declaration/section.ts'
import { OperatorError } from '../../errors.ts'
import { parseEmail } from '../../lib/email.ts'
import { quantityPurchased, SubscriptionStatus } from '../admin-schema.ts'
import { exportSubscriptions } from '../export-store.ts'
import { removeSubscription } from '../subscriptions/removal.ts'
import { applySubscription, type SubscriptionPlan } from './apply-subscription.ts'
import {
  type DeclaredSubscriptionRow,
  listDeclaredSubscriptions,
  listSubscriptionKeys,
  listSubscriptionRemovals,
} from './store.ts'

const DeclaredSubscription = Type.Object(
  {
    tenant: Type.String(),
    application: Type.String(),
    licenseType: Type.String(),
    quantityPurchased,
    status: Type.Optional(SubscriptionStatus),
    /** A time such as 2027-01-31T00:00:00Z, or null for no end. */
    currentPeriodEnd: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
    /** Email addresses of the members to grant a seat. Existing seats are never revoked. */
    seats: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
type DeclaredSubscription = Static<typeof DeclaredSubscription>

const TERM_FIELDS = ['quantityPurchased', 'status', 'currentPeriodEnd'] as const

const toSubscriptionName = ({ tenant, application, licenseType }: Entry) => `${tenant} ${application}/${licenseType}`

export const subscriptionsSection: Section = {
  key: 'subscriptions',
  entry: DeclaredSubscription,
  keys: ['tenant', 'application', 'licenseType'],
  refersTo: {
    tenants: { slug: 'tenant' },
    applications: { slug: 'application' },
    licenseTypes: { application: 'application', slug: 'licenseType' },
  },
  async plan(ctx, entries, { prune, absent }) {
    const declared = entries as DeclaredSubscription[]
    requireUniqueKeys('subscription', declared.map(toSubscriptionName))
    const current = await listDeclaredSubscriptions(
      ctx.db,
      declared.map(({ tenant }) => tenant),
    )
    const declaredNames = new Set(declared.map(toSubscriptionName))
    return declared.flatMap((entry) => {
      // A member with a seat of any type of the application keeps it, unless its subscription is pruned.
      const seats = current.holders.get(`${entry.tenant} ${entry.application}`) ?? []
      const keptSeats = seats.filter((seat) => !prune || declaredNames.has(seat.subscription))
      const holders = keptSeats.map(({ email }) => email)
      const declaredHolders = [...new Set((entry.seats ?? []).map((email) => parseEmail(email) ?? email))]
      const name = toSubscriptionName(entry)
      requireNotAbsent(absent, declaredHolders, (email) => `gives ${email} a seat of ${name}`)
      const newHolders = declaredHolders.filter((email) => !holders.includes(email))
      return planEntry(ctx, { entry, current: current.subscriptions.get(name), newHolders })
    })
  },
  planRemoval,
  listKeys: ({ db }) => listSubscriptionKeys(db),
  export: ({ db }) => exportSubscriptions(db),
}

interface EntryInput {
  entry: DeclaredSubscription
  current: DeclaredSubscriptionRow | undefined
  newHolders: string[]
}

function planEntry(ctx: Ctx, { entry, current, newHolders }: EntryInput): Change[] {
  const subject = `subscription ${toSubscriptionName(entry)}`
  const { seats, currentPeriodEnd, ...rest } = entry
  const terms = {
    ...rest,
    ...(currentPeriodEnd !== undefined && { currentPeriodEnd: parsePeriodEnd(subject, currentPeriodEnd) }),
  }
  const { fields } = current
    ? findDifference(current, terms, TERM_FIELDS)
    : { fields: describeFields(terms, TERM_FIELDS) }
  const lines = [...fields, ...newHolders.map((email) => `seat for ${email}`)]
  if (current && lines.length === 0) return []
  const plan: SubscriptionPlan = { ...terms, name: toSubscriptionName(entry), newHolders }
  const apply = (tx: Tx) => withEntryContext(subject, () => applySubscription(ctx, tx, plan))
  return [{ action: current ? 'update' : 'create', subject, fields: lines, apply }]
}

/** A date, or a date and time with a time zone (ISO 8601). */
const DATE_OR_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

function parsePeriodEnd(subject: string, text: string | null): Date | null {
  if (text === null) return null
  const date = new Date(text)
  if (DATE_OR_TIME.test(text) && !Number.isNaN(date.getTime())) return date
  throw new OperatorError(
    `The ${subject} is not valid: currentPeriodEnd must be a date and time such as 2027-01-31T00:00:00Z.`,
  )
}

async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const removals = await listSubscriptionRemovals(ctx.db, entries.map(toSubscriptionName))
  return removals.map(({ id, name, ...counts }) => ({
    action: 'delete',
    subject: `subscription ${name}`,
    fields: describeCascade(counts),
    apply: (tx) => removeSubscription(ctx, tx, { id, source: OPERATOR_SOURCE }),
  }))
}

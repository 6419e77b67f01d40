import { type Static, Type } from 'typebox'
import { OPERATOR } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import {
  describeFields,
  describeLoss,
  findDifference,
  inEntry,
  refuseLeaving,
  refuseTwice,
} from '../../declaration/compare.ts'
import type { Change, Entry, Section } from '../../declaration/section.ts'
import { OperatorError } from '../../errors.ts'
import { parseEmail } from '../../lib/email.ts'
import { quantityPurchased, SubscriptionStatus } from '../admin-schema.ts'
import { exportSubscriptions } from '../export/store.ts'
import { removeSubscription } from '../subscriptions/removal.ts'
import { type Settling, settleSubscription } from './settle.ts'
import {
  type KnownSubscription,
  listDeclaredSubscriptions,
  listLeavingSubscriptions,
  listSubscriptionKeys,
} from './store.ts'

const DeclaredSubscription = Type.Object(
  {
    tenant: Type.String(),
    application: Type.String(),
    licenseType: Type.String(),
    quantityPurchased,
    status: Type.Optional(SubscriptionStatus),
    /** A moment such as 2027-01-31T00:00:00Z; null: without an end. */
    currentPeriodEnd: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
    /** Who is given a seat; whoever has one already keeps it. */
    seats: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
type DeclaredSubscription = Static<typeof DeclaredSubscription>

const TERMS = ['quantityPurchased', 'status', 'currentPeriodEnd'] as const

const subscriptionName = ({ tenant, application, licenseType }: Entry) =>
  `${tenant} ${application}/${licenseType}`

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
    refuseTwice('subscription', declared.map(subscriptionName))
    const known = await listDeclaredSubscriptions(
      ctx.db,
      declared.map(({ tenant }) => tenant),
    )
    const listed = new Set(declared.map(subscriptionName))
    return declared.flatMap((entry) => {
      // Whoever has a seat of the application already keeps that, of whichever type, unless that type goes.
      const held = known.holders.get(`${entry.tenant} ${entry.application}`) ?? []
      const holders = held.filter((seat) => !prune || listed.has(seat.subscription)).map(({ email }) => email)
      const wanted = [...new Set((entry.seats ?? []).map((email) => parseEmail(email) ?? email))]
      const name = subscriptionName(entry)
      refuseLeaving(absent, wanted, (email) => `gives ${email} a seat of ${name}`)
      const missing = wanted.filter((email) => !holders.includes(email))
      return planEntry(ctx, { entry, present: known.subscriptions.get(name), missing })
    })
  },
  planRemoval,
  listKeys: ({ db }) => listSubscriptionKeys(db),
  export: ({ db }) => exportSubscriptions(db),
}

interface Planned {
  entry: DeclaredSubscription
  present: KnownSubscription | undefined
  missing: string[]
}

function planEntry(ctx: Ctx, { entry, present, missing }: Planned): Change[] {
  const subject = `subscription ${subscriptionName(entry)}`
  const { seats, currentPeriodEnd, ...rest } = entry
  const terms = {
    ...rest,
    ...(currentPeriodEnd !== undefined && { currentPeriodEnd: readMoment(subject, currentPeriodEnd) }),
  }
  const { fields } = present
    ? findDifference(present, terms, TERMS)
    : { fields: describeFields(terms, TERMS) }
  const lines = [...fields, ...missing.map((email) => `seat for ${email}`)]
  if (present && lines.length === 0) return []
  const settling: Settling = { ...terms, name: subscriptionName(entry), missing }
  const apply = (tx: Tx) => inEntry(subject, () => settleSubscription(ctx, tx, settling))
  return [{ action: present ? 'update' : 'create', subject, fields: lines, apply }]
}

/** A day, or a moment with its time zone. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

function readMoment(subject: string, text: string | null): Date | null {
  if (text === null) return null
  const moment = new Date(text)
  if (MOMENT.test(text) && !Number.isNaN(moment.getTime())) return moment
  throw new OperatorError(
    `The ${subject} cannot be: currentPeriodEnd must be a moment such as 2027-01-31T00:00:00Z.`,
  )
}

async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const leaving = await listLeavingSubscriptions(ctx.db, entries.map(subscriptionName))
  return leaving.map(({ id, name, ...counts }) => ({
    action: 'delete',
    subject: `subscription ${name}`,
    fields: describeLoss(counts),
    apply: (tx) => removeSubscription(ctx, tx, { id, source: OPERATOR }),
  }))
}

import type pg from 'pg'

/** What there is of seats and subscriptions in a tenant, by id, in one form wherever it was read. */
export interface Holdings {
  seats: Record<string, object>
  subscriptions: Record<string, object>
}

/** Where the reading of a ledger has come to, and what it tells up to there. */
export interface Replay extends Holdings {
  sequence: number
}

export const fromTheStart = (): Replay => ({ sequence: 0, seats: {}, subscriptions: {} })

interface State {
  status: string
  licenseTypeId: string
  subscriptionId: string
  assignedAt: string
  quantityPurchased: number
  currentPeriodStart: string
  currentPeriodEnd: string | null
}

interface Entry {
  sequence: string
  subject: 'seat' | 'subscription'
  subject_id: string
  user_id: string | null
  application_id: string
  before: State | null
  after: State | null
}

const moment = (text: string) => new Date(text).toISOString()

/** A seat, or a subscription, as an entry tells it; undefined: it is gone. */
function told(entry: Entry, state: State | null): object | undefined {
  if (state === null) return undefined
  const { licenseTypeId, status } = state
  const common = { applicationId: entry.application_id, licenseTypeId, status }
  if (entry.subject === 'seat') {
    const { subscriptionId, assignedAt } = state
    return { ...common, userId: entry.user_id, subscriptionId, assignedAt: moment(assignedAt) }
  }
  const { quantityPurchased, currentPeriodStart: start, currentPeriodEnd: end } = state
  return { ...common, quantityPurchased, start: moment(start), end: end === null ? null : moment(end) }
}

/**
 * Reads on in the ledger of a tenant, and does again what it tells. Throws when a number is missing, or when what was
 * there before is not what the entry says.
 */
export async function readOn(db: pg.Pool, tenantId: string, replay: Replay): Promise<Replay> {
  const { rows } = await db.query<Entry>(
    'select * from license_ledger where tenant_id = $1 and sequence > $2 order by sequence',
    [tenantId, replay.sequence],
  )
  for (const entry of rows) {
    const things = entry.subject === 'seat' ? replay.seats : replay.subscriptions
    const [known, before] = [things[entry.subject_id], told(entry, entry.before)]
    if (Number(entry.sequence) !== replay.sequence + 1 || JSON.stringify(known) !== JSON.stringify(before)) {
      throw new Error(`after ${replay.sequence} the ledger goes on with ${JSON.stringify({ entry, known })}`)
    }
    replay.sequence++
    const after = told(entry, entry.after)
    if (after) things[entry.subject_id] = after
    else delete things[entry.subject_id]
  }
  return replay
}

interface SeatRow {
  id: string
  user_id: string
  application_id: string
  license_type_id: string
  subscription_id: string
  status: string
  assigned_at: Date
}

interface SubscriptionRow {
  id: string
  application_id: string
  license_type_id: string
  status: string
  quantity_purchased: number
  quantity_assigned: number
  quantity_reserved: number
  current_period_start: Date
  current_period_end: Date | null
}

/** What the tables hold. Throws where a subscription counts other seats than there are. */
export async function readRows(db: pg.Pool, tenantId: string): Promise<Holdings> {
  const read = async <R extends pg.QueryResultRow>(table: string) =>
    (await db.query<R>(`select * from ${table} where tenant_id = $1`, [tenantId])).rows
  const seats = await read<SeatRow>('seats')
  const subscriptions = await read<SubscriptionRow>('subscriptions')
  for (const { id, quantity_assigned, quantity_reserved } of subscriptions) {
    const having = (status: string) =>
      seats.filter((seat) => seat.subscription_id === id && seat.status === status).length
    if (quantity_assigned !== having('ASSIGNED') || quantity_reserved !== having('RESERVED')) {
      throw new Error(`subscription ${id} counts ${quantity_assigned} of ${having('ASSIGNED')} seats`)
    }
  }
  return {
    seats: Object.fromEntries(seats.map((row) => [row.id, toSeat(row)])),
    subscriptions: Object.fromEntries(subscriptions.map((row) => [row.id, toSubscription(row)])),
  }
}

const toSeat = (row: SeatRow) => ({
  applicationId: row.application_id,
  licenseTypeId: row.license_type_id,
  status: row.status,
  userId: row.user_id,
  subscriptionId: row.subscription_id,
  assignedAt: row.assigned_at.toISOString(),
})

const toSubscription = (row: SubscriptionRow) => ({
  applicationId: row.application_id,
  licenseTypeId: row.license_type_id,
  status: row.status,
  quantityPurchased: row.quantity_purchased,
  start: row.current_period_start.toISOString(),
  end: row.current_period_end?.toISOString() ?? null,
})

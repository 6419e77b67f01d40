import type pg from 'pg'

/** The seats and subscriptions of a tenant by id, in the same form from the tables and from the ledger. */
export interface LicenseState {
  seats: Record<string, object>
  subscriptions: Record<string, object>
}

/** The state after replaying the ledger up to `sequence`. */
export interface Replay extends LicenseState {
  sequence: number
}

export const createReplay = (): Replay => ({ sequence: 0, seats: {}, subscriptions: {} })

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

const toIso = (text: string) => new Date(text).toISOString()

/** Returns undefined for a deleted seat or subscription. */
function toState(entry: Entry, state: State | null): object | undefined {
  if (state === null) return undefined
  const { licenseTypeId, status } = state
  const common = { applicationId: entry.application_id, licenseTypeId, status }
  if (entry.subject === 'seat') {
    const { subscriptionId, assignedAt } = state
    return { ...common, userId: entry.user_id, subscriptionId, assignedAt: toIso(assignedAt) }
  }
  const { quantityPurchased, currentPeriodStart: start, currentPeriodEnd: end } = state
  return { ...common, quantityPurchased, start: toIso(start), end: end === null ? null : toIso(end) }
}

/**
 * Continues to replay the ledger of a tenant. Throws if a sequence is missing, or if the replayed state differs from
 * the state before an entry.
 */
export async function replayLedger(db: pg.Pool, tenantId: string, replay: Replay): Promise<Replay> {
  const { rows } = await db.query<Entry>(
    'select * from license_ledger where tenant_id = $1 and sequence > $2 order by sequence',
    [tenantId, replay.sequence],
  )
  for (const entry of rows) {
    const states = entry.subject === 'seat' ? replay.seats : replay.subscriptions
    const [replayed, before] = [states[entry.subject_id], toState(entry, entry.before)]
    const isNext = Number(entry.sequence) === replay.sequence + 1
    if (!isNext || JSON.stringify(replayed) !== JSON.stringify(before)) {
      const found = JSON.stringify({ entry, replayed })
      throw new Error(`unexpected ledger entry after sequence ${replay.sequence}: ${found}`)
    }
    replay.sequence++
    const after = toState(entry, entry.after)
    if (after) states[entry.subject_id] = after
    else delete states[entry.subject_id]
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

/** Reads the state from the tables. Throws if the counters of a subscription differ from its seats. */
export async function readLicenseState(db: pg.Pool, tenantId: string): Promise<LicenseState> {
  const read = async <R extends pg.QueryResultRow>(table: string) =>
    (await db.query<R>(`select * from ${table} where tenant_id = $1`, [tenantId])).rows
  const seats = await read<SeatRow>('seats')
  const subscriptions = await read<SubscriptionRow>('subscriptions')
  for (const { id, quantity_assigned, quantity_reserved } of subscriptions) {
    const countSeats = (status: string) =>
      seats.filter((seat) => seat.subscription_id === id && seat.status === status).length
    if (quantity_assigned !== countSeats('ASSIGNED') || quantity_reserved !== countSeats('RESERVED')) {
      throw new Error(`subscription ${id} counts ${quantity_assigned} of ${countSeats('ASSIGNED')} seats`)
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

import { OPERATOR } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { breaks, yielding } from '../db/violations.ts'
import { findTenantIds, holdTenantsNamed, importMembers } from '../tenants/import.ts'
import { foreseePeople, importPeople, type OnConflict, type Outcome } from '../users/import.ts'
import { type Newcomer, type Placement, readPerson } from './person.ts'
import { isProblem, type Problem, type ReadRow } from './row.ts'

/**
 * People from another system. They come in batches, each of which is there entirely or not at all; whoever was brought
 * along before is found again, so that a run that was broken off is simply done once more.
 */

const BATCH = 500
const TRIES = 3

export interface Tally {
  imported: number
  updated: number
  /** They were here, and are as they were. */
  skipped: number
  failed: number
}

export interface Import {
  rows: AsyncIterable<ReadRow>
  onConflict: OnConflict
  placement: Placement
  /** Only tell what would be. */
  dryRun: boolean
  onProblem(problem: Problem): void
  /** After each batch. */
  onProgress(tally: Tally): void
}

export async function importUsers(ctx: Ctx, wanted: Import): Promise<Tally> {
  const tally: Tally = { imported: 0, updated: 0, skipped: 0, failed: 0 }
  const refuse = (problem: Problem) => {
    tally.failed++
    wanted.onProblem(problem)
  }
  const seen = new Set<string>()
  let batch: Newcomer[] = []
  const flush = async () => {
    for (const { newcomer, outcome, reason } of await bring(ctx, batch, wanted)) {
      if (outcome in REFUSALS) refuse(toProblem(newcomer, outcome, reason))
      else tally[COUNTED[outcome as Counted]]++
    }
    batch = []
    wanted.onProgress(tally)
  }
  for await (const row of wanted.rows) {
    const read = isProblem(row) ? row : readPerson(row, wanted.placement)
    if ('reason' in read) refuse(read)
    else if (seen.has(read.person.email)) refuse(toProblem(read, 'twice'))
    else batch.push(read)
    if ('person' in read) seen.add(read.person.email)
    if (batch.length === BATCH) await flush()
  }
  await flush()
  return tally
}

/** What is said of those who could not come. */
const REFUSALS = {
  twice: 'stands in the file before',
  'no-tenant': 'there is no such tenant',
  leaving: 'the account is about to be deleted',
  settled:
    'somebody has rights here under this address without having proven it; they have to confirm it first',
  refused: 'a rule is in the way',
  gone: 'somebody with this address was here a moment ago; try again',
}
type Refusal = keyof typeof REFUSALS
type Counted = Exclude<Outcome, Refusal>

const COUNTED: Record<Counted, keyof Tally> = {
  imported: 'imported',
  updated: 'updated',
  unchanged: 'skipped',
  skipped: 'skipped',
}

const toProblem = (
  { line, person: { email } }: Newcomer,
  outcome: Outcome | Refusal,
  reason = REFUSALS[outcome as Refusal],
): Problem => ({ line, email, reason })

interface Settled {
  newcomer: Newcomer
  outcome: Outcome | Refusal
  /** The rule that was in the way. */
  reason?: string | undefined
}

async function bring(ctx: Ctx, batch: Newcomer[], wanted: Import): Promise<Settled[]> {
  if (batch.length === 0) return []
  if (wanted.dryRun) return foresee(ctx, batch, wanted)
  for (let attempt = 1; ; attempt++) {
    try {
      const work = (tx: Tx) => bringBatch(ctx, tx, { batch, onConflict: wanted.onConflict })
      return await yielding(() => ctx.db.transaction().execute(work))
    } catch (error) {
      // One of them asked to be deleted between the look and the step: at the next look that is known.
      if (!breaks(error, 'members_stay') || attempt === TRIES) throw error
    }
  }
}

/** Who becomes a member. */
const JOINING: Outcome[] = ['imported', 'updated', 'unchanged']

const slugsOf = (batch: Newcomer[]) => [
  ...new Set(batch.flatMap(({ membership }) => (membership ? [membership.tenant] : []))),
]

async function bringBatch(
  ctx: Ctx,
  tx: Tx,
  { batch, onConflict }: { batch: Newcomer[]; onConflict: OnConflict },
): Promise<Settled[]> {
  const tenants = await holdTenantsNamed(tx, slugsOf(batch))
  const placed = batch.filter(({ membership }) => !membership || tenants.has(membership.tenant))
  const people = placed.map(({ person }) => person)
  const arrivals =
    people.length > 0 ? await importPeople(ctx, tx, { people, onConflict, source: OPERATOR }) : null
  const members = placed.flatMap(({ person, membership }) => {
    const arrival = arrivals?.get(person.email)
    const tenantId = membership && tenants.get(membership.tenant)
    return !arrival || !tenantId || !JOINING.includes(arrival.outcome)
      ? []
      : [{ tenantId, userId: arrival.userId, role: membership.role }]
  })
  await importMembers(ctx, tx, { members, source: OPERATOR })
  return batch.map((newcomer) => {
    const { person, membership } = newcomer
    if (membership && !tenants.has(membership.tenant)) return { newcomer, outcome: 'no-tenant' }
    const { outcome = 'gone', reason } = arrivals?.get(person.email) ?? {}
    return { newcomer, outcome, reason }
  })
}

async function foresee({ db }: Ctx, batch: Newcomer[], { onConflict }: Import): Promise<Settled[]> {
  const tenants = await findTenantIds(db, slugsOf(batch))
  const people = batch.map(({ person }) => person)
  const outcomes = await foreseePeople(db, { people, onConflict })
  return batch.map((newcomer) => {
    const { person, membership } = newcomer
    if (membership && !tenants.has(membership.tenant)) return { newcomer, outcome: 'no-tenant' }
    return { newcomer, outcome: outcomes.get(person.email) ?? 'gone' }
  })
}

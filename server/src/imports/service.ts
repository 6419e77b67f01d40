import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isCheckViolation, retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { findTenantIds, importMembers, lockTenantsBySlug } from '../tenants/import.ts'
import { type ImportOutcome, importUserRows, type OnConflict, previewImport } from '../users/import.ts'
import { isProblem, type ParsedRow, type RowProblem } from './row.ts'
import { type DefaultMembership, parseUserRow, type UserRow } from './user-row.ts'

/**
 * Bulk import of users from another system. Each batch is one transaction. Users that already exist are found by
 * address, so an interrupted import can be run again.
 */

const BATCH_SIZE = 500
const MAX_ATTEMPTS = 3

export interface ImportSummary {
  imported: number
  updated: number
  /** Users that already exist and were not changed. */
  skipped: number
  failed: number
}

export interface ImportOptions {
  rows: AsyncIterable<ParsedRow>
  onConflict: OnConflict
  /** For rows without a tenant or a role. */
  defaultMembership: DefaultMembership
  /** Reports what the import would do and changes nothing. */
  dryRun: boolean
  /** In a dry run: tenants that do not exist yet, and will when the import is run. */
  plannedTenants?: ReadonlySet<string>
  onProblem(problem: RowProblem): void
  /** Called for everything that an imported user had in the other system and does not get here. */
  onLoss?(loss: RowProblem): void
  /** Called after each batch. */
  onProgress(summary: ImportSummary): void
}

export async function importUsers(ctx: Ctx, options: ImportOptions): Promise<ImportSummary> {
  const summary: ImportSummary = { imported: 0, updated: 0, skipped: 0, failed: 0 }
  const reject = (problem: RowProblem) => {
    summary.failed++
    options.onProblem(problem)
  }
  const seen = new Set<string>()
  let batch: UserRow[] = []
  const flush = async () => {
    for (const { row, outcome, reason } of await importBatch(ctx, batch, options)) {
      if (outcome in REJECTIONS) reject(toProblem(row, outcome, reason))
      else summary[COUNTERS[outcome as AcceptedOutcome]]++
      if (outcome === 'imported') reportLosses(row, options)
    }
    batch = []
    options.onProgress(summary)
  }
  for await (const row of options.rows) {
    const parsed = isProblem(row) ? row : parseUserRow(row, options.defaultMembership)
    if ('reason' in parsed) reject(parsed)
    else if (seen.has(parsed.person.email)) reject(toProblem(parsed, 'duplicate'))
    else batch.push(parsed)
    if ('person' in parsed) seen.add(parsed.person.email)
    if (batch.length === BATCH_SIZE) await flush()
  }
  await flush()
  return summary
}

function reportLosses({ line, place, person: { email }, losses }: UserRow, { onLoss }: ImportOptions): void {
  for (const reason of losses) onLoss?.({ line, place, email, reason })
}

const REJECTIONS = {
  duplicate: 'an earlier row has the same address',
  'no-tenant': 'there is no such tenant',
  deletionScheduled: 'the account is about to be deleted',
  unverifiedWithRights:
    'the account of this address has permissions, but the address is not confirmed; it must be confirmed first',
  refused: 'a rule does not allow it',
  missing: 'the account of this address was deleted during the import; try again',
}
type Rejection = keyof typeof REJECTIONS
type AcceptedOutcome = Exclude<ImportOutcome, Rejection>

const COUNTERS: Record<AcceptedOutcome, keyof ImportSummary> = {
  imported: 'imported',
  updated: 'updated',
  unchanged: 'skipped',
  skipped: 'skipped',
}

const toProblem = (
  { line, place, person: { email } }: UserRow,
  outcome: ImportOutcome | Rejection,
  reason = REJECTIONS[outcome as Rejection],
): RowProblem => ({ line, place, email, reason })

interface RowResult {
  row: UserRow
  outcome: ImportOutcome | Rejection
  /** The rule that does not allow the change. */
  reason?: string | undefined
}

async function importBatch(ctx: Ctx, batch: UserRow[], options: ImportOptions): Promise<RowResult[]> {
  if (batch.length === 0) return []
  if (options.dryRun) return previewBatch(ctx, batch, options)
  for (let attempt = 1; ; attempt++) {
    try {
      const work = (tx: Tx) => importInTransaction(ctx, tx, { batch, onConflict: options.onConflict })
      return await retryOnDeadlock(() => ctx.db.transaction().execute(work))
    } catch (error) {
      // A user requested deletion after the batch had read the account. The next attempt sees the request.
      if (!isCheckViolation(error, 'members_stay') || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** The outcomes after which the user becomes a member. */
const JOINING_OUTCOMES: ImportOutcome[] = ['imported', 'updated', 'unchanged']

const tenantSlugsOf = (batch: UserRow[]) => [
  ...new Set(batch.flatMap(({ memberships }) => memberships.map(({ tenant }) => tenant))),
]

/** Whether every tenant of the row is known. */
const hasTenants = ({ memberships }: UserRow, isKnown: (slug: string) => boolean) =>
  memberships.every(({ tenant }) => isKnown(tenant))

async function importInTransaction(
  ctx: Ctx,
  tx: Tx,
  { batch, onConflict }: { batch: UserRow[]; onConflict: OnConflict },
): Promise<RowResult[]> {
  const tenants = await lockTenantsBySlug(tx, tenantSlugsOf(batch))
  const isKnown = (slug: string) => tenants.has(slug)
  const importable = batch.filter((row) => hasTenants(row, isKnown))
  const people = importable.map(({ person }) => person)
  const results =
    people.length > 0 ? await importUserRows(ctx, tx, { people, onConflict, source: OPERATOR_SOURCE }) : null
  const members = importable.flatMap(({ person, memberships }) => {
    const result = results?.get(person.email)
    if (!result || !JOINING_OUTCOMES.includes(result.outcome)) return []
    return memberships.flatMap(({ tenant, role }) => {
      const tenantId = tenants.get(tenant)
      return tenantId ? [{ tenantId, userId: result.userId, role }] : []
    })
  })
  await importMembers(ctx, tx, { members, source: OPERATOR_SOURCE })
  return batch.map((row) => {
    if (!hasTenants(row, isKnown)) return { row, outcome: 'no-tenant' }
    const { outcome = 'missing', reason } = results?.get(row.person.email) ?? {}
    return { row, outcome, reason }
  })
}

async function previewBatch(
  { db }: Ctx,
  batch: UserRow[],
  { onConflict, plannedTenants }: ImportOptions,
): Promise<RowResult[]> {
  const tenants = await findTenantIds(db, tenantSlugsOf(batch))
  const people = batch.map(({ person }) => person)
  const outcomes = await previewImport(db, { people, onConflict })
  return batch.map((row) => {
    const isKnown = (slug: string) => tenants.has(slug) || plannedTenants?.has(slug) === true
    if (!hasTenants(row, isKnown)) return { row, outcome: 'no-tenant' }
    return { row, outcome: outcomes.get(row.person.email) ?? 'missing' }
  })
}

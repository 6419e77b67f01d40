import { toRows } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { isRolledBack } from '../../db/violations.ts'
import { together } from '../../lib/together.ts'
import { actorText, type Granting, known } from './in-ledger.ts'
import { toEntry } from './noting.ts'
import { exchangeSeats, findRevisions, type NewSeat } from './store.ts'

/**
 * Seats that are granted and revoked at about the same time, whatever their tenants, share a statement: it costs a seat
 * far less than a transaction of its own. What cannot be done so is left to one, which also finds out why.
 */

/** More than come while the last are on their way, on most machines. */
const MOST = 64
/** One at a time, because those of one tenant would only find each other in the way; but nobody waits for one that hangs. */
const LONGEST_MS = 250

export interface Wish {
  kind: 'grant' | 'revoke'
  granting: Granting
  seat: Omit<NewSeat, 'kind'>
}

interface Done {
  licenseTypeName: string
  revision: string
}

/** What the type is called, if it was done, and how far each ledger came, once that is on the disk and known here. */
interface Outcome {
  licenseTypeName: string | undefined
  revisions: Promise<Map<string, string>>
}

const lanes = new WeakMap<Ctx, (wish: Wish) => Promise<Outcome>>()

/** Undefined where it must be done by itself. */
export async function amongOthers(ctx: Ctx, wish: Wish): Promise<Done | undefined> {
  // Whether they still may is looked at for each by itself.
  if (wish.granting.byRole) return undefined
  const lane =
    lanes.get(ctx) ??
    together((turn: Wish[]) => carryOut(ctx, turn), { most: MOST, spacingMs: LONGEST_MS, isEager: true })
  lanes.set(ctx, lane)
  const { licenseTypeName, revisions } = await lane(wish)
  if (licenseTypeName === undefined) return undefined
  return { licenseTypeName, revision: (await revisions).get(wish.seat.tenantId) ?? '0' }
}

async function carryOut(ctx: Ctx, turn: Wish[]): Promise<Outcome[]> {
  const done = await exchange(ctx, turn)
  const tenants = new Set([...done.keys()].map(({ seat }) => seat.tenantId))
  const revisions = done.size === 0 ? Promise.resolve(new Map()) : settle(ctx, [...tenants])
  return turn.map((wish) => ({ licenseTypeName: done.get(wish), revisions }))
}

/** Those for which it was done, and what the type of each is called. */
async function exchange(ctx: Ctx, turn: Wish[]): Promise<Map<Wish, string>> {
  // Of two that are about the same person only the first: the other must see what it did.
  const firsts = new Map(turn.toReversed().map((wish) => [`${wish.seat.tenantId}:${wish.seat.userId}`, wish]))
  const wishes = [...firsts.values()].reverse()
  const entries = await toRows(ctx, wishes.map(toNote))
  const exchanges = wishes.flatMap(({ kind, seat, granting }, index) => {
    const entry = entries[index]
    return entry ? [{ kind, seat, entry, by: actorText(granting.actor) }] : []
  })
  try {
    const done = await exchangeSeats(ctx.db, exchanges, ctx.now())
    return new Map(done.map(({ index, licenseTypeName }) => [wishes[index] as Wish, licenseTypeName]))
  } catch (error) {
    // What the database has refused was done for none of them.
    if (!isRolledBack(error)) throw error
    return new Map()
  }
}

const toNote = ({ kind, granting, seat }: Wish) =>
  toEntry({ action: kind === 'grant' ? 'license.granted' : 'license.revoked', granting, seat })

async function settle(ctx: Ctx, tenantIds: string[]): Promise<Map<string, string>> {
  const [revisions] = await Promise.all([findRevisions(ctx.db, tenantIds), known(ctx)])
  return revisions
}

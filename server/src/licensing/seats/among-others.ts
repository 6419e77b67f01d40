import { prepareNoting } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { callWitness } from '../../db/durable.ts'
import { isRolledBack } from '../../db/violations.ts'
import { together } from '../../lib/together.ts'
import { actorText, type Granting, untilKnown } from './in-ledger.ts'
import { toEntry } from './noting.ts'
import { type Exchanged, exchangeSeats, type NewSeat } from './store.ts'

/**
 * Seats that are granted and revoked at about the same time, whatever their tenants, share a statement: it costs a seat
 * far less than a transaction of its own. What cannot be done so is left to one, which also finds out why.
 */

/** More than come while the last are on their way, on most machines. */
const MOST = 64
/** One at a time, because those of one tenant would only find each other in the way; but nobody waits for one that hangs. */
const LONGEST_MS = 250
/** Who comes when so many wait is left to a transaction of their own, before which they wait for others of their tenant. */
const MOST_WAITING = 1_000

export interface Wish {
  kind: 'grant' | 'revoke'
  granting: Granting
  seat: Omit<NewSeat, 'kind'>
}

type Done = Pick<Exchanged, 'licenseTypeName' | 'revision'>

/** What was done, and when that is on the disk and known to this node. */
interface Outcome {
  done: Done | undefined
  isKnown: Promise<unknown>
}

type Lane = (wish: Wish) => Promise<Outcome | undefined>
const lanes = new WeakMap<Ctx, Lane>()

/** Undefined where it must be done by itself. */
export async function amongOthers(ctx: Ctx, wish: Wish): Promise<Done | undefined> {
  // Whether they still may is looked at for each by itself.
  if (wish.granting.byRole) return undefined
  const outcome = await laneOf(ctx)(wish)
  if (outcome?.done) await outcome.isKnown
  return outcome?.done
}

function laneOf(ctx: Ctx): Lane {
  const lane =
    lanes.get(ctx) ??
    together((turn: Wish[]) => carryOut(ctx, turn), {
      ...{ most: MOST, mostWaiting: MOST_WAITING, spacingMs: LONGEST_MS, isEager: true },
    })
  lanes.set(ctx, lane)
  return lane
}

async function carryOut(ctx: Ctx, turn: Wish[]): Promise<Outcome[]> {
  const witness = await callWitness(ctx.db)
  const done = await exchange(ctx, turn)
  const isKnown = done.size > 0 ? untilKnown(ctx, witness) : Promise.resolve()
  return turn.map((wish) => ({ done: done.get(wish), isKnown }))
}

/** Those for which it was done. */
async function exchange(ctx: Ctx, turn: Wish[]): Promise<Map<Wish, Done>> {
  // Of two that are about the same person only the first: the other must see what it did.
  const firsts = new Map(turn.toReversed().map((wish) => [`${wish.seat.tenantId}:${wish.seat.userId}`, wish]))
  const wishes = [...firsts.values()].reverse()
  const exchanges = wishes.map(({ kind, seat, granting }) => ({ kind, seat, by: actorText(granting.actor) }))
  const noting = await prepareNoting(ctx, wishes.map(toNote))
  try {
    const done = await exchangeSeats(ctx.db, exchanges, { now: ctx.now(), noting })
    return new Map(done.map(({ index, ...one }) => [wishes[index] as Wish, one]))
  } catch (error) {
    // What the database has refused was done for none of them.
    if (!isRolledBack(error)) throw error
    return new Map()
  }
}

/** Of which type a seat was that is taken back, only the statement knows, and puts it in. */
const toNote = ({ kind, granting, seat }: Wish) =>
  toEntry({ action: kind === 'grant' ? 'license.granted' : 'license.revoked', granting, seat })

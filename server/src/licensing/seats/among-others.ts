import { prepareNoting } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { isOutOfReach } from '../../db/away.ts'
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
/** Longer than any lock is waited for: those of one tenant wait for each other. */
const LONGEST_OF_TENANT_MS = 30_000

export interface Wish {
  kind: 'grant' | 'revoke'
  granting: Granting
  seat: Omit<NewSeat, 'kind'>
}

type Done = Pick<Exchanged, 'licenseTypeName' | 'revision'>

/** What was done, and when that is on the disk and known to this node. */
interface Outcome {
  done: Done | undefined
  /** The tenant was held by somebody else. */
  isLeftOut: boolean
  isKnown: Promise<unknown>
}

type Lane = (wish: Wish) => Promise<Outcome | undefined>

interface Lanes {
  ofAll: Lane
  /** Those of tenants that are held by somebody, while they are waited for. */
  ofTenants: Map<string, { lane: Lane; users: number }>
}

const lanes = new WeakMap<Ctx, Lanes>()

/**
 * Undefined where it must be done by itself. Where the tenant is held by somebody else, who changes a member or is
 * refused a seat, it is waited for together with others of that tenant: by themselves they would hold it far longer.
 */
export async function amongOthers(ctx: Ctx, wish: Wish): Promise<Done | undefined> {
  // Whether they still may is looked at for each by itself.
  if (wish.granting.byRole) return undefined
  const { ofAll, ofTenants } = lanesOf(ctx)
  const isHeld = ofTenants.has(wish.seat.tenantId)
  const first = isHeld ? undefined : await ofAll(wish)
  const outcome = isHeld || first?.isLeftOut ? await inLaneOfTenant(ctx, ofTenants, wish) : first
  if (outcome?.done) await outcome.isKnown
  return outcome?.done
}

function lanesOf(ctx: Ctx): Lanes {
  const known = lanes.get(ctx) ?? {
    ofAll: together((turn: Wish[]) => carryOut(ctx, turn, { waits: false }), {
      ...{ most: MOST, mostWaiting: MOST_WAITING, spacingMs: LONGEST_MS, isEager: true },
    }),
    ofTenants: new Map(),
  }
  lanes.set(ctx, known)
  return known
}

async function inLaneOfTenant(ctx: Ctx, ofTenants: Lanes['ofTenants'], wish: Wish) {
  const { tenantId } = wish.seat
  const known = ofTenants.get(tenantId) ?? {
    lane: together((turn: Wish[]) => carryOut(ctx, turn, { waits: true }), {
      ...{ most: MOST, mostWaiting: MOST_WAITING, spacingMs: LONGEST_OF_TENANT_MS, isEager: true },
    }),
    users: 0,
  }
  ofTenants.set(tenantId, known)
  known.users += 1
  try {
    return await known.lane(wish)
  } finally {
    known.users -= 1
    if (known.users === 0) ofTenants.delete(tenantId)
  }
}

interface Manner {
  /** For their tenant, which is the same for all. */
  waits: boolean
}

async function carryOut(ctx: Ctx, turn: Wish[], manner: Manner): Promise<Outcome[]> {
  const witness = await callWitness(ctx.db)
  const exchanged = await exchange(ctx, turn, manner)
  const isKnown = [...exchanged.values()].some(({ isLeftOut }) => !isLeftOut)
    ? untilKnown(ctx, witness)
    : Promise.resolve()
  return turn.map((wish) => {
    const one = exchanged.get(wish)
    const isLeftOut = one?.isLeftOut ?? false
    return { done: isLeftOut ? undefined : one, isLeftOut, isKnown }
  })
}

/** Those for which it was done, and those that were left out. */
async function exchange(
  ctx: Ctx,
  turn: Wish[],
  manner: Manner,
): Promise<Map<Wish, Omit<Exchanged, 'index'>>> {
  // Of two that are about the same person only the first: the other must see what it did.
  const firsts = new Map(turn.toReversed().map((wish) => [`${wish.seat.tenantId}:${wish.seat.userId}`, wish]))
  const wishes = [...firsts.values()].reverse()
  const exchanges = wishes.map(({ kind, seat, granting }) => ({ kind, seat, by: actorText(granting.actor) }))
  const noting = await prepareNoting(ctx, wishes.map(toNote))
  try {
    const exchanged = await exchangeSeats(ctx.db, exchanges, { now: ctx.now(), noting, ...manner })
    return new Map(exchanged.map(({ index, ...one }) => [wishes[index] as Wish, one]))
  } catch (error) {
    // Who could not have the tenant would not have it by themselves either.
    if (manner.waits && isOutOfReach(error)) throw error
    // What the database has refused was done for none of them.
    if (!isRolledBack(error)) throw error
    return new Map()
  }
}

/** Of which type a seat was that is taken back, only the statement knows, and puts it in. */
const toNote = ({ kind, granting, seat }: Wish) =>
  toEntry({ action: kind === 'grant' ? 'license.granted' : 'license.revoked', granting, seat })

import { actorOf } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { breaks, yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import type { Caller, Member, Person, TenantDoor, TenantKeeper } from '../http/callers.ts'
import { isForOwners } from '../http/errors.ts'
import { isId } from '../lib/ids.ts'
import { findGraceEnd, lacksSecondFactor } from './mfa-policy.ts'
import { type Acting, requireFactor, toOperator } from './permissions.ts'
import { inTurn } from './turns.ts'
import {
  enterAs,
  findStanding,
  lockAndEnter,
  type Standing,
  startReading,
  startWriting,
} from './wall/store.ts'

/**
 * Work for one tenant happens behind a wall: in a transaction to which the database shows no row of another. The
 * person's role is read in that very transaction, so that it is the one they have, whatever their token says; whoever
 * changes anything has first waited for those who are changing something already.
 *
 * Whether they may is asked before that, too, without the lock: who may not takes no turn from those who may.
 */
export const inTenant: TenantKeeper = async (ctx, person, door, work) => {
  requireId(door)
  if (!door.readOnly) await requireMember(ctx, person, door)
  return behindWall(ctx, door, () => attempt(ctx, person, door, work))
}

/** Which tenant is worked for, and whether anything is changed there. */
type Place = Pick<TenantDoor, 'tenantId' | 'readOnly'>

function requireId({ tenantId }: Place): void {
  if (!isId(tenantId)) throw new AppError('TENANT_NOT_FOUND')
}

async function behindWall<T>(ctx: Ctx, { tenantId, readOnly }: Place, once: () => Promise<T>): Promise<T> {
  try {
    return await yielding(() => (readOnly ? once() : inTurn(ctx, tenantId, once)))
  } catch (error) {
    if (breaks(error, 'tenants_keep_an_owner')) throw new AppError('LAST_OWNER', { cause: error })
    throw error
  }
}

const attempt: TenantKeeper = (ctx, person, door, work) =>
  (door.readOnly ? startReading : startWriting)(ctx.db, async (tx) => {
    if (!door.readOnly) await lockAndEnter(tx, door.tenantId)
    return work(tx, await requireMember({ ...ctx, db: tx }, person, door))
  })

/** The person as a member of the tenant, or why they may not do what they ask for. */
async function requireMember(ctx: Ctx, person: Person, door: TenantDoor): Promise<Member> {
  const standing = await findStanding(ctx.db, { tenantId: door.tenantId, userId: person.userId })
  if (!standing) throw new AppError('TENANT_NOT_FOUND')
  // Who is no member learns nothing of it.
  if (standing.suspended && standing.role !== null) throw new AppError('TENANT_SUSPENDED')
  const member = toMember(ctx, person, door, standing)
  if (!member) throw new AppError(isForOwners(door.roles) ? 'OWNER_REQUIRED' : 'FORBIDDEN')
  if (!door.checksFactor) requireFactor(member)
  return member
}

/**
 * Work for one tenant by whoever runs the instance, behind the same wall. They have the reach of an owner, and may also
 * while the tenant is suspended. What is changed is known to this node before anybody hears of it.
 */
export async function asOperator<T>(
  ctx: Ctx,
  { caller, tenantId, readOnly }: Place & { caller: Caller },
  work: (tx: Tx, operator: Acting) => Promise<T>,
): Promise<T> {
  requireId({ tenantId, readOnly })
  const { kind, id } = actorOf(caller)
  const once = () =>
    (readOnly ? startReading : startWriting)(ctx.db, async (tx) => {
      const entered = await enterAs(tx, { tenantId, actor: `${kind}:${id}`, readOnly })
      if (entered === undefined) throw new AppError('TENANT_NOT_FOUND')
      return work(tx, toOperator(caller, entered))
    })
  const done = await behindWall(ctx, { tenantId, readOnly }, once)
  if (!readOnly) await ctx.changes.settle()
  return done
}

/** Undefined for whoever is no ACTIVE member, or has none of the roles. */
function toMember(
  ctx: Ctx,
  person: Person,
  { roles }: TenantDoor,
  { tenantId, membershipId, role, mfa_policy, ...grace }: Standing,
): Member | undefined {
  if (membershipId === null || role === null || !roles.includes(role)) return undefined
  const lacksFactor = lacksSecondFactor(mfa_policy, person.amr) && !findGraceEnd(ctx, grace, person.sessionId)
  return { ...person, tenantId, membershipId, role, lacksFactor }
}

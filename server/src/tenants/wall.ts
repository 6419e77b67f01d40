import type { Tx } from '../db/open.ts'
import { breaks, yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import type { Member, Person, TenantDoor, TenantKeeper } from '../http/callers.ts'
import { isForOwners } from '../http/errors.ts'
import { isId } from '../lib/ids.ts'
import { inTurn } from './turns.ts'
import { findStanding, lockAndEnter, type Standing, startReading, startWriting } from './wall/store.ts'

/**
 * Work for one tenant happens behind a wall: in a transaction to which the database shows no row of another. The
 * person's role is read in that very transaction, so that it is the one they have, whatever their token says; whoever
 * changes anything has first waited for those who are changing something already.
 */
export const inTenant: TenantKeeper = async (ctx, person, door, work) => {
  if (!isId(door.tenantId)) throw new AppError('TENANT_NOT_FOUND')
  try {
    return await yielding(() => {
      const once = () => attempt(ctx, person, door, work)
      return door.readOnly ? once() : inTurn(door.tenantId, once)
    })
  } catch (error) {
    if (breaks(error, 'tenants_keep_an_owner')) throw new AppError('LAST_OWNER', { cause: error })
    throw error
  }
}

const attempt: TenantKeeper = (ctx, person, door, work) =>
  (door.readOnly ? startReading : startWriting)(ctx.db, async (tx) => {
    const standing = await enter(tx, person, door)
    if (!standing) throw new AppError('TENANT_NOT_FOUND')
    const member = toMember(person, door, standing)
    if (!member) throw new AppError(isForOwners(door.roles) ? 'OWNER_REQUIRED' : 'FORBIDDEN')
    return work(tx, member)
  })

async function enter(
  tx: Tx,
  { userId }: Person,
  { tenantId, readOnly }: TenantDoor,
): Promise<Standing | undefined> {
  if (!readOnly) await lockAndEnter(tx, tenantId)
  return findStanding(tx, { tenantId, userId })
}

/** Undefined for whoever is no ACTIVE member, or has none of the roles. */
function toMember(
  person: Person,
  { roles }: TenantDoor,
  { tenantId, membershipId, role }: Standing,
): Member | undefined {
  return membershipId !== null && role !== null && roles.includes(role)
    ? { ...person, tenantId, membershipId, role }
    : undefined
}

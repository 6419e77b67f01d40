import { toActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isCheckViolation, retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { inTransaction } from '../db/snapshot.ts'
import { AppError } from '../errors.ts'
import { isOwnerOnly } from '../http/errors/errors.ts'
import type { Caller, Member, Person, TenantAccess, WithTenant } from '../http/routing/callers.ts'
import { isId } from '../lib/ids.ts'
import { findGraceEnd, lacksSecondFactor } from './mfa-policy.ts'
import { requireFactor, type TenantActor, toOperatorActor } from './permissions.ts'
import { queueForTenant } from './tenant-queue.ts'
import { enterTenantAsOperator, findMembership, lockTenant, type TenantMembership } from './tenant-scope-store.ts'

/**
 * Runs work for one tenant in a transaction in which row-level security hides the rows of all other tenants. The role
 * is read in the same transaction, so that it is current even when the token is older. Writes lock the tenant.
 *
 * A write also checks the permission before it queues for the lock: refused callers must not delay others.
 */
export const withTenant: WithTenant = async (ctx, person, access, work) => {
  requireId(access)
  if (!access.readOnly) await requireMember(ctx, person, access)
  return queueWrites(ctx, access, () => runAsMember(ctx, person, access, work))
}

/** The tenant, and whether the work only reads. */
type TenantTarget = Pick<TenantAccess, 'tenantId' | 'readOnly'>

function requireId({ tenantId }: TenantTarget): void {
  if (!isId(tenantId)) throw new AppError('TENANT_NOT_FOUND')
}

async function queueWrites<T>(ctx: Ctx, { tenantId, readOnly }: TenantTarget, run: () => Promise<T>): Promise<T> {
  try {
    return await retryOnDeadlock(() => (readOnly ? run() : queueForTenant(ctx, tenantId, run)))
  } catch (error) {
    if (isCheckViolation(error, 'tenants_keep_an_owner')) throw new AppError('LAST_OWNER', { cause: error })
    throw error
  }
}

const runAsMember: WithTenant = (ctx, person, access, work) =>
  inTransaction(ctx.db, access.readOnly, async (tx) => {
    if (!access.readOnly) await lockTenant(tx, access.tenantId)
    return work(tx, await requireMember({ ...ctx, db: tx }, person, access))
  })

/** The person as a member of the tenant. Throws the reason why access is refused. */
async function requireMember(ctx: Ctx, person: Person, access: TenantAccess): Promise<Member> {
  const { userId, support } = person
  if (support && support.tenantId !== access.tenantId.toLowerCase()) throw new AppError('TENANT_NOT_FOUND')
  const key = { tenantId: access.tenantId, userId, actorId: support?.operatorId }
  const membership = await findMembership(ctx.db, key)
  if (!membership) throw new AppError('TENANT_NOT_FOUND')
  // Only members learn that the tenant is suspended.
  if (membership.suspended && membership.role !== null) throw new AppError('TENANT_SUSPENDED')
  const member = toMember(ctx, person, access, membership)
  if (!member) throw new AppError(isOwnerOnly(access.roles) ? 'OWNER_REQUIRED' : 'FORBIDDEN')
  if (!access.checksFactor) requireFactor(member)
  return member
}

/**
 * Runs work for one tenant by an operator, under the same row-level security. Operators have the permissions of an
 * owner, also while the tenant is suspended. A write returns after the cache of this node has seen the change.
 */
export async function withTenantAsOperator<T>(
  ctx: Ctx,
  { caller, tenantId, readOnly }: TenantTarget & { caller: Caller },
  work: (tx: Tx, operator: TenantActor) => Promise<T>,
): Promise<T> {
  requireId({ tenantId, readOnly })
  const { kind, id } = toActor(caller)
  const run = () =>
    inTransaction(ctx.db, readOnly, async (tx) => {
      const entered = await enterTenantAsOperator(tx, { tenantId, actor: `${kind}:${id}`, readOnly })
      if (entered === undefined) throw new AppError('TENANT_NOT_FOUND')
      return work(tx, toOperatorActor(caller, entered))
    })
  const result = await queueWrites(ctx, { tenantId, readOnly }, run)
  if (!readOnly) await ctx.changes.waitUntilCurrent()
  return result
}

/** Undefined unless the person is an ACTIVE member with one of the roles. */
function toMember(
  ctx: Ctx,
  person: Person,
  { roles }: TenantAccess,
  { tenantId, membershipId, role, mfa_policy, ...grace }: TenantMembership,
): Member | undefined {
  if (membershipId === null || role === null || !roles.includes(role)) return undefined
  const lacksFactor = lacksSecondFactor(mfa_policy, person.amr) && !findGraceEnd(ctx, grace, person.sessionId)
  return { ...person, tenantId, membershipId, role, lacksFactor }
}

import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError, OperatorError } from '../../errors.ts'
import { isUsable } from '../periods.ts'
import type { GrantContext } from '../seats/seat-transaction.ts'
import { grantSeat } from '../seats/service.ts'
import { changeSubscriptionInTx, createSubscriptionInTx, type SubscriptionChange } from '../subscriptions/service.ts'
import { findMemberId, lockTenantAndFindIds, type SubscriptionIds } from './store.ts'

/** A declared subscription, as it should be after the change. */
export interface SubscriptionPlan extends SubscriptionChange {
  tenant: string
  application: string
  licenseType: string
  quantityPurchased: number
  /** The name in the plan and in messages. */
  name: string
  /** Email addresses of the members to grant a seat. */
  newHolders: string[]
}

export async function applySubscription(ctx: Ctx, tx: Tx, plan: SubscriptionPlan): Promise<void> {
  const ids = await lockTenantAndFindIds(tx, plan)
  if (!ids) {
    throw new OperatorError(
      `The subscription ${plan.name} refers to a tenant, an application or a license type that does not exist.`,
    )
  }
  const { quantityPurchased, status, currentPeriodEnd, newHolders } = plan
  const terms = { quantityPurchased, status, currentPeriodEnd }
  if (ids.subscriptionId === null) return createWithSeats(ctx, tx, { ids, terms, newHolders })
  await changeSubscriptionInTx(ctx, tx, { id: ids.subscriptionId, change: terms, source: OPERATOR_SOURCE })
  await grantSeats(ctx, tx, ids, newHolders)
}

interface NewSubscriptionInput {
  ids: SubscriptionIds
  terms: SubscriptionChange & { quantityPurchased: number }
  newHolders: string[]
}

/** A lapsed subscription gets its terms last, because seats can only be granted while it is usable. */
async function createWithSeats(ctx: Ctx, tx: Tx, { ids, terms, newHolders }: NewSubscriptionInput): Promise<void> {
  const { tenantId, licenseTypeId } = ids
  const { quantityPurchased, status = 'ACTIVE', currentPeriodEnd = null } = terms
  const isLapsed = newHolders.length > 0 && !isUsable({ status, currentPeriodEnd }, ctx.now())
  const draft = { tenantId, licenseTypeId, ...(isLapsed ? { quantityPurchased } : terms) }
  const { id } = await createSubscriptionInTx(ctx, tx, { draft, source: OPERATOR_SOURCE })
  await grantSeats(ctx, tx, ids, newHolders)
  if (isLapsed) await changeSubscriptionInTx(ctx, tx, { id, change: terms, source: OPERATOR_SOURCE })
}

async function grantSeats(ctx: Ctx, tx: Tx, ids: SubscriptionIds, emails: string[]): Promise<void> {
  const { tenantId, applicationId, licenseTypeId } = ids
  const granting: GrantContext = { tenantId, ...OPERATOR_SOURCE }
  for (const email of emails) {
    const userId = await findMemberId(tx, { tenantId, email })
    if (userId === undefined) throw new OperatorError(`${email} is no member of the tenant.`)
    const request = { userId, applicationId, licenseTypeId }
    await withEmailInErrors(email, () => grantSeat(ctx, tx, granting, request))
  }
}

const describeReason = ({ details }: AppError) => {
  const { reason } = (details ?? {}) as { reason?: string }
  return reason === undefined ? '' : ` (${reason})`
}

async function withEmailInErrors(email: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw error instanceof AppError
      ? new OperatorError(`${email}: ${error.message}${describeReason(error)}`, { cause: error })
      : error
  }
}

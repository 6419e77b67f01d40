import { OPERATOR } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError, OperatorError } from '../../errors.ts'
import { isUsable } from '../periods.ts'
import type { Granting } from '../seats/in-ledger.ts'
import { grantSeat } from '../seats/service.ts'
import { addSubscription, alterSubscription, type SubscriptionChange } from '../subscriptions/service.ts'
import { findMemberId, findTypeNamed, type Named } from './store.ts'

/** A subscription as it is to become. */
export interface Settling extends SubscriptionChange {
  tenant: string
  application: string
  licenseType: string
  quantityPurchased: number
  /** What the plan calls it. */
  name: string
  /** The addresses of those who are to be given a seat. */
  missing: string[]
}

export async function settleSubscription(ctx: Ctx, tx: Tx, wanted: Settling): Promise<void> {
  const named = await findTypeNamed(tx, wanted)
  if (!named) {
    throw new OperatorError(
      `The subscription ${wanted.name} is of a tenant, an application or a licence type that there is not.`,
    )
  }
  const { quantityPurchased, status, currentPeriodEnd } = wanted
  const terms = { quantityPurchased, status, currentPeriodEnd }
  if (named.subscriptionId === null) return begin(ctx, tx, { named, terms, missing: wanted.missing })
  await alterSubscription(ctx, tx, { id: named.subscriptionId, change: terms, source: OPERATOR })
  await giveSeats(ctx, tx, named, wanted.missing)
}

interface Beginning {
  named: Named
  terms: SubscriptionChange & { quantityPurchased: number }
  missing: string[]
}

/** One that has run out has holders all the same, who had their seats before it did. */
async function begin(ctx: Ctx, tx: Tx, { named, terms, missing }: Beginning): Promise<void> {
  const { tenantId, licenseTypeId } = named
  const { quantityPurchased, status = 'ACTIVE', currentPeriodEnd = null } = terms
  const over = missing.length > 0 && !isUsable({ status, currentPeriodEnd }, ctx.now())
  const draft = { tenantId, licenseTypeId, ...(over ? { quantityPurchased } : terms) }
  const { id } = await addSubscription(ctx, tx, { draft, source: OPERATOR })
  await giveSeats(ctx, tx, named, missing)
  if (over) await alterSubscription(ctx, tx, { id, change: terms, source: OPERATOR })
}

async function giveSeats(ctx: Ctx, tx: Tx, named: Named, emails: string[]): Promise<void> {
  const { tenantId, applicationId, licenseTypeId } = named
  const granting: Granting = { tenantId, ...OPERATOR }
  for (const email of emails) {
    const userId = await findMemberId(tx, { tenantId, email })
    if (userId === undefined) throw new OperatorError(`${email} is no member of the tenant.`)
    const wish = { userId, applicationId, licenseTypeId }
    await naming(email, () => grantSeat(ctx, tx, granting, wish))
  }
}

/** What a program would read in the details. */
const reasonOf = ({ details }: AppError) => {
  const { reason } = (details ?? {}) as { reason?: string }
  return reason === undefined ? '' : ` (${reason})`
}

/** A refusal says whom it is about. */
async function naming(email: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw error instanceof AppError
      ? new OperatorError(`${email}: ${error.message}${reasonOf(error)}`, { cause: error })
      : error
  }
}

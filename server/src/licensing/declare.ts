import { type Static, Type } from 'typebox'
import { SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { findDifference, inEntry, listDeclared, refuseTwice } from '../declaration/compare.ts'
import type { Change, Section } from '../declaration/section.ts'
import { AppError, OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { description, displayOrder, quantityPurchased } from './admin-schema.ts'
import { changeType, checkType, createType } from './catalogue/service.ts'
import {
  type DeclaredTypeRow,
  findMemberId,
  findTypeNamed,
  listDeclaredSubscriptions,
  listDeclaredTypes,
} from './declare/store.ts'
import type { Granting } from './seats/in-ledger.ts'
import { grantSeat } from './seats/service.ts'
import { addSubscription, alterSubscription } from './subscriptions/service.ts'

/** A declaration is applied by whoever runs the service. */
const OPERATOR = { actor: SYSTEM }

const DeclaredType = Type.Object(
  {
    application: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    description,
    features: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    displayOrder: Type.Optional(displayOrder),
    status: Type.Optional(Type.Enum(['ACTIVE', 'ARCHIVED'])),
  },
  { additionalProperties: false },
)
type DeclaredType = Static<typeof DeclaredType>

export const licenseTypesSection: Section = {
  key: 'licenseTypes',
  entry: DeclaredType,
  async plan(ctx, entries, declaration) {
    const declared = entries as DeclaredType[]
    refuseTwice('licence type', declared.map(nameOf))
    for (const entry of declared) await inEntry(`licence type ${nameOf(entry)}`, () => checkType(entry))
    const known = await listDeclaredTypes(ctx.db)
    const coming = new Set(listDeclared(declaration, 'applications', 'slug'))
    return declared.flatMap((entry) => {
      const application = known.applications.get(entry.application)
      if (!application && !coming.has(entry.application)) {
        throw new OperatorError(`The licence type ${nameOf(entry)} is of an application that there is not.`)
      }
      const type = application && known.types.get(nameOf(entry))
      return type ? planTypeChange(ctx, entry, type) : [planType(ctx, entry)]
    })
  },
}

const nameOf = ({ application, slug }: { application: string; slug: string }) => `${application}/${slug}`

const planType = (ctx: Ctx, entry: DeclaredType): Change => ({
  action: 'create',
  subject: `licence type ${nameOf(entry)}`,
  fields: [],
  async apply(tx) {
    const { application, ...draft } = entry
    const { applications } = await listDeclaredTypes(tx)
    const applicationId = applications.get(application) ?? ''
    await createType(ctx, tx, { applicationId, draft, source: OPERATOR })
  },
})

function planTypeChange(ctx: Ctx, entry: DeclaredType, type: DeclaredTypeRow): Change[] {
  const { change, fields } = findDifference(type, entry, [
    'name',
    'description',
    'features',
    'displayOrder',
    'status',
  ])
  if (fields.length === 0) return []
  const apply: Change['apply'] = async (tx) => {
    await changeType(ctx, tx, { id: type.id, change, source: OPERATOR })
  }
  return [{ action: 'update', subject: `licence type ${nameOf(entry)}`, fields, apply }]
}

const DeclaredSubscription = Type.Object(
  {
    tenant: Type.String(),
    application: Type.String(),
    licenseType: Type.String(),
    quantityPurchased,
    /** Who is given a seat; whoever has one already keeps it. */
    seats: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
type DeclaredSubscription = Static<typeof DeclaredSubscription>

const subscriptionName = ({ tenant, application, licenseType }: DeclaredSubscription) =>
  `${tenant} ${application}/${licenseType}`

export const subscriptionsSection: Section = {
  key: 'subscriptions',
  entry: DeclaredSubscription,
  async plan(ctx, entries) {
    const declared = entries as DeclaredSubscription[]
    refuseTwice('subscription', declared.map(subscriptionName))
    const known = await listDeclaredSubscriptions(
      ctx.db,
      declared.map(({ tenant }) => tenant),
    )
    return declared.flatMap((entry) => {
      const present = known.subscriptions.get(subscriptionName(entry))
      const wanted = [...new Set((entry.seats ?? []).map((email) => parseEmail(email) ?? email))]
      // Whoever has a seat of the application already keeps that, of whichever type.
      const holders = known.holders.get(`${entry.tenant} ${entry.application}`) ?? []
      const missing = wanted.filter((email) => !holders.includes(email))
      const fields = [
        ...(present !== undefined && present !== entry.quantityPurchased
          ? [`quantityPurchased: ${present} → ${entry.quantityPurchased}`]
          : []),
        ...missing.map((email) => `seat for ${email}`),
      ]
      if (present !== undefined && fields.length === 0) return []
      return [
        {
          action: present === undefined ? 'create' : 'update',
          subject: `subscription ${subscriptionName(entry)}`,
          fields,
          apply: (tx) =>
            inEntry(`subscription ${subscriptionName(entry)}`, () => settle(ctx, tx, entry, missing)),
        } satisfies Change,
      ]
    })
  },
}

async function settle(
  ctx: Ctx,
  tx: Parameters<Change['apply']>[0],
  entry: DeclaredSubscription,
  missing: string[],
): Promise<void> {
  const named = await findTypeNamed(tx, entry)
  if (!named) {
    throw new OperatorError(
      `The subscription ${subscriptionName(entry)} is of a tenant, an application or a licence type that there is not.`,
    )
  }
  const { tenantId, applicationId, licenseTypeId, subscriptionId } = named
  const { quantityPurchased } = entry
  if (subscriptionId === null) {
    await addSubscription(ctx, tx, {
      draft: { tenantId, licenseTypeId, quantityPurchased },
      source: OPERATOR,
    })
  } else {
    await alterSubscription(ctx, tx, { id: subscriptionId, change: { quantityPurchased }, source: OPERATOR })
  }
  const granting: Granting = { tenantId, ...OPERATOR }
  for (const email of missing) {
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

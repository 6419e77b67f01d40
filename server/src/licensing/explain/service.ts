import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isFeatureKey } from '../catalogue/service.ts'
import { getStanding, type License, licenseAt, type Question, type Standing } from '../licenses.ts'
import type { Explanation } from '../schema.ts'
import { type BoughtOffer, type Remedy, renew, seatRemedy, sell, sortOffers, teach } from './remedies.ts'
import { type Circumstances, findCircumstances, type Offer } from './store.ts'

type Step = Explanation['steps'][number]

/** A step that decides says so in one sentence, and knows the one call that would change it. */
interface Deciding extends Step {
  check: Explanation['decidedBy']
  remedy: Remedy
}

/** All that an explanation is made of. */
interface Facts extends Pick<Circumstances, 'membershipId' | 'status' | 'offers'> {
  question: Question
  now: Date
  standing: Standing
  license: License | undefined
  good: BoughtOffer[]
  lapsed: BoughtOffer[]
}

/** Why somebody has a licence, or a feature of it, or why not. */
export async function explain(
  ctx: Ctx,
  question: Question,
  featureKey: string | undefined,
): Promise<Explanation> {
  const now = ctx.now()
  const standing = await getStanding(ctx, question)
  const license = licenseAt(standing, now)
  const circumstances = await findCircumstances(ctx.db, question, now)
  if (!circumstances) throw new AppError('FORBIDDEN')
  const { membershipId, status, needsFactor, offers } = circumstances
  const facts = { question, now, standing, license, membershipId, status, offers, ...sortOffers(offers, now) }
  const steps = [
    ...(standing.suspended ? [describeTenant(question)] : []),
    describeUser(facts),
    describeMembership(facts),
    describeSubscription(facts),
    describeSeat(facts),
    ...(featureKey === undefined ? [] : [describeFeature(facts, featureKey)]),
  ]
  const deciding = steps.find(({ ok }) => !ok) ?? (steps.at(-1) as Deciding)
  const shown: Step[] = steps.map(({ check, ok, detail }) => ({ check, ok, detail }))
  return {
    hasLicense: license !== undefined,
    ...(featureKey !== undefined && { hasFeature: license?.features.includes(featureKey) ?? false }),
    decidedBy: deciding.check,
    message: deciding.detail,
    steps: shown.flatMap((step) =>
      step.check === 'MEMBERSHIP' ? [step, describePolicy(needsFactor)] : [step],
    ),
    remedy: deciding.ok ? null : deciding.remedy,
  }
}

/** Nobody of the tenant can ask while it is suspended; whoever helps them finds out here. */
const describeTenant = ({ tenantId }: Question): Deciding => ({
  check: 'TENANT',
  ok: false,
  detail: 'The tenant is suspended.',
  remedy: { method: 'PATCH', path: `/api/admin/tenants/${tenantId}`, body: { suspended: false } },
})

function describeUser({ standing: { disabled } }: Facts): Deciding {
  const detail = disabled ? 'The account is disabled.' : 'The account is in use.'
  return { check: 'USER', ok: !disabled, detail, remedy: null }
}

function describeMembership({ question: { tenantId }, status, membershipId }: Facts): Deciding {
  const path = `/api/tenants/${tenantId}`
  const reactivate = { method: 'PATCH', path: `${path}/members/${membershipId}`, body: { status: 'ACTIVE' } }
  const invite = { method: 'POST', path: `${path}/invitations` }
  return {
    check: 'MEMBERSHIP',
    ok: status === 'ACTIVE',
    detail: status === null ? 'There is no such member of the tenant.' : `The membership is ${status}.`,
    // Who is INVITED must accept; nobody can do that for them.
    remedy: status === null ? invite : status === 'SUSPENDED' ? reactivate : null,
  }
}

const describePolicy = (needsFactor: boolean): Step => ({
  check: 'MFA_POLICY',
  ok: !needsFactor,
  detail: needsFactor
    ? 'The tenant requires a second factor, and this person has none: they get no token for it until they do.'
    : 'Nothing is missing for the MFA policy of the tenant.',
})

function describeSubscription({ question, now, standing, offers, good, lapsed: [lapsed] }: Facts): Deciding {
  const check = 'SUBSCRIPTION'
  if (standing.mode === 'FREE') return { check, ok: true, detail: 'The application is free.', remedy: null }
  if (good.length > 0) {
    const detail = 'The tenant has a subscription of the application that is good.'
    return { check, ok: true, detail, remedy: null }
  }
  return lapsed
    ? {
        check,
        ok: false,
        detail: 'No subscription of the application is good any more.',
        remedy: renew(lapsed, now),
      }
    : {
        check,
        ok: false,
        detail: 'The tenant has no subscription of the application.',
        remedy: sell(question.tenantId, offers[0]),
      }
}

function describeSeat({ question: { userId, applicationId }, standing, license, good }: Facts): Deciding {
  const check = 'SEAT'
  const ok = license !== undefined
  if (standing.mode !== 'PER_SEAT') {
    const detail = ok ? 'Every active member has a licence.' : 'The application has no licence type to give.'
    const remedy = { method: 'POST', path: '/api/licensing/license-types', body: { applicationId } }
    return { check, ok, detail, remedy }
  }
  const remedy = seatRemedy(good, (licenseTypeId) => ({
    method: 'POST',
    path: '/api/integration/licenses/grant',
    body: { userId, applicationId, licenseTypeId },
  }))
  return { check, ok, detail: ok ? 'They hold a seat.' : 'They hold no seat that is good.', remedy }
}

function describeFeature(facts: Facts, featureKey: string): Deciding {
  const ok = facts.license?.features.includes(featureKey) ?? false
  return {
    check: 'FEATURE',
    ok,
    detail: ok ? `The licence has the feature ${featureKey}.` : `The licence has no feature ${featureKey}.`,
    remedy: ok ? null : featureRemedy(facts, featureKey),
  }
}

/** Another type that has it, if the tenant has bought one or can; or else their own type must learn it. */
function featureRemedy({ question, standing, license, offers, good }: Facts, featureKey: string): Remedy {
  const { tenantId, userId, applicationId } = question
  const hasIt = ({ features }: Offer) => features[featureKey] === true
  const change = (licenseTypeId: string) => ({
    method: 'POST',
    path: '/api/integration/licenses/change',
    body: { userId, applicationId, licenseTypeId },
  })
  const own = offers.find(({ slug }) => slug === license?.type)
  const another = standing.mode === 'PER_SEAT' ? seatRemedy(good.filter(hasIt), change) : null
  const unsold = offers.find((offer) => hasIt(offer) && offer.subscription === null)
  if (another) return another
  if (standing.mode === 'PER_SEAT' && unsold) return sell(tenantId, unsold)
  return own && isFeatureKey(featureKey) ? teach(own, featureKey) : null
}

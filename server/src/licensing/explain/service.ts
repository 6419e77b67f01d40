import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isFeatureKey } from '../catalog/service.ts'
import { type Eligibility, findLicenseAt, getEligibility, type License, type LicenseQuery } from '../licenses.ts'
import type { Explanation } from '../schema.ts'
import {
  findSeatRemedy,
  type Remedy,
  type SubscribedLicenseType,
  splitByUsability,
  toAddFeatureRemedy,
  toRenewRemedy,
  toSubscribeRemedy,
} from './remedies.ts'
import { findLicenseFacts, type LicenseFacts, type LicenseTypeWithSubscription } from './store.ts'

type Step = Explanation['steps'][number]

/** A step that can decide the result, with the call that would change it. */
interface DecidingStep extends Step {
  check: Explanation['decidedBy']
  remedy: Remedy
}

/** The input of all steps. */
interface ExplanationInput extends Pick<LicenseFacts, 'membershipId' | 'status' | 'licenseTypes'> {
  query: LicenseQuery
  now: Date
  eligibility: Eligibility
  license: License | undefined
  usable: SubscribedLicenseType[]
  lapsed: SubscribedLicenseType[]
}

/** Explains why a user has or does not have a license, or a feature of it. */
export async function explain(ctx: Ctx, query: LicenseQuery, featureKey: string | undefined): Promise<Explanation> {
  const now = ctx.now()
  const eligibility = await getEligibility(ctx, query)
  const license = findLicenseAt(eligibility, now)
  const facts = await findLicenseFacts(ctx.db, query, now)
  if (!facts) throw new AppError('FORBIDDEN')
  const { membershipId, status, lacksSecondFactor, licenseTypes } = facts
  const input = {
    query,
    now,
    eligibility,
    license,
    membershipId,
    status,
    licenseTypes,
    ...splitByUsability(licenseTypes, now),
  }
  const steps = [
    ...(eligibility.suspended ? [describeTenant(query)] : []),
    describeUser(input),
    describeMembership(input),
    describeSubscription(input),
    describeSeat(input),
    ...(featureKey === undefined ? [] : [describeFeature(input, featureKey)]),
  ]
  const deciding = steps.find(({ ok }) => !ok) ?? (steps.at(-1) as DecidingStep)
  const replySteps: Step[] = steps.map(({ check, ok, detail }) => ({ check, ok, detail }))
  return {
    hasLicense: license !== undefined,
    ...(featureKey !== undefined && { hasFeature: license?.features.includes(featureKey) ?? false }),
    decidedBy: deciding.check,
    message: deciding.detail,
    steps: replySteps.flatMap((step) =>
      step.check === 'MEMBERSHIP' ? [step, describePolicy(lacksSecondFactor)] : [step],
    ),
    remedy: deciding.ok ? null : deciding.remedy,
  }
}

/**
 * Rarely reported, because tokens of a suspended tenant are refused. Other nodes begin to refuse them up to a second
 * after the suspension.
 */
const describeTenant = ({ tenantId }: LicenseQuery): DecidingStep => ({
  check: 'TENANT',
  ok: false,
  detail: 'The tenant is suspended.',
  remedy: { method: 'PATCH', path: `/api/admin/tenants/${tenantId}`, body: { suspended: false } },
})

function describeUser({ eligibility: { disabled } }: ExplanationInput): DecidingStep {
  const detail = disabled ? 'The account is disabled.' : 'The account is enabled.'
  return { check: 'USER', ok: !disabled, detail, remedy: null }
}

function describeMembership({ query: { tenantId }, status, membershipId }: ExplanationInput): DecidingStep {
  const path = `/api/tenants/${tenantId}`
  const reactivate = { method: 'PATCH', path: `${path}/members/${membershipId}`, body: { status: 'ACTIVE' } }
  const invite = { method: 'POST', path: `${path}/invitations` }
  return {
    check: 'MEMBERSHIP',
    ok: status === 'ACTIVE',
    detail: status === null ? 'The tenant has no such member.' : `The membership is ${status}.`,
    // There is no remedy for INVITED: only the user can accept the invitation.
    remedy: status === null ? invite : status === 'SUSPENDED' ? reactivate : null,
  }
}

/** Listed after MEMBERSHIP but never decides: the policy affects tokens, not licenses. */
const describePolicy = (lacksSecondFactor: boolean): Step => ({
  check: 'MFA_POLICY',
  ok: !lacksSecondFactor,
  detail: lacksSecondFactor
    ? 'The tenant requires a second factor. The user has none, and gets no token for the tenant without one.'
    : 'The MFA policy of the tenant is met.',
})

function describeSubscription(input: ExplanationInput): DecidingStep {
  const { query, now, eligibility, licenseTypes, usable, lapsed } = input
  const check = 'SUBSCRIPTION'
  if (eligibility.mode === 'FREE') {
    return { check, ok: true, detail: 'The application is free.', remedy: null }
  }
  if (usable.length > 0) {
    const detail = 'The tenant has a usable subscription to the application.'
    return { check, ok: true, detail, remedy: null }
  }
  const [firstLapsed] = lapsed
  return firstLapsed
    ? {
        check,
        ok: false,
        detail: 'Every subscription of the tenant to the application has expired.',
        remedy: toRenewRemedy(firstLapsed, now),
      }
    : {
        check,
        ok: false,
        detail: 'The tenant has no subscription to the application.',
        remedy: toSubscribeRemedy(query.tenantId, licenseTypes[0]),
      }
}

function describeSeat(input: ExplanationInput): DecidingStep {
  const { userId, applicationId } = input.query
  const check = 'SEAT'
  const ok = input.license !== undefined
  if (input.eligibility.mode !== 'PER_SEAT') {
    const detail = ok ? 'Every active member has a license.' : 'The application has no active license type.'
    const remedy = { method: 'POST', path: '/api/licensing/license-types', body: { applicationId } }
    return { check, ok, detail, remedy }
  }
  const remedy = findSeatRemedy(input.usable, (licenseTypeId) => ({
    method: 'POST',
    path: '/api/integration/licenses/grant',
    body: { userId, applicationId, licenseTypeId },
  }))
  const detail = ok ? 'The user has a seat.' : 'The user has no seat of a usable subscription.'
  return { check, ok, detail, remedy }
}

function describeFeature(input: ExplanationInput, featureKey: string): DecidingStep {
  const ok = input.license?.features.includes(featureKey) ?? false
  return {
    check: 'FEATURE',
    ok,
    detail: ok ? `The license has the feature ${featureKey}.` : `The license has no feature ${featureKey}.`,
    remedy: ok ? null : findFeatureRemedy(input, featureKey),
  }
}

/**
 * With PER_SEAT: a seat of a license type that has the feature, else a subscription to such a type. Otherwise the call
 * that adds the feature to the user's own license type.
 */
function findFeatureRemedy(
  { query, eligibility, license, licenseTypes, usable }: ExplanationInput,
  featureKey: string,
): Remedy {
  const { tenantId, userId, applicationId } = query
  const hasFeature = ({ features }: LicenseTypeWithSubscription) => features[featureKey] === true
  const toChangeRemedy = (licenseTypeId: string) => ({
    method: 'POST',
    path: '/api/integration/licenses/change',
    body: { userId, applicationId, licenseTypeId },
  })
  const isPerSeat = eligibility.mode === 'PER_SEAT'
  const other = isPerSeat ? findSeatRemedy(usable.filter(hasFeature), toChangeRemedy) : null
  if (other) return other
  const unsubscribed = licenseTypes.find((type) => hasFeature(type) && type.subscription === null)
  if (isPerSeat && unsubscribed) return toSubscribeRemedy(tenantId, unsubscribed)
  const own = licenseTypes.find(({ slug }) => slug === license?.type)
  return own && isFeatureKey(featureKey) ? toAddFeatureRemedy(own, featureKey) : null
}

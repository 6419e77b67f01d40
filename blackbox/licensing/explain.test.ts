import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call } from '../support/calls.ts'
import { newAddress } from '../support/invitations.ts'
import {
  changeSubscription,
  getLicense,
  getOperatorHeaders,
  grantSeat,
  hasLicense,
  inDays,
  newLicensedApplication,
  newLicenseType,
  newMachineHeaders,
  newSubscription,
  newTenantMember,
  newTenantWithSeats,
} from '../support/licensing.ts'
import { invite, listMembers } from '../support/tenants.ts'

interface Explanation {
  hasLicense: boolean
  hasFeature?: boolean
  decidedBy: string
  message: string
  steps: { check: string; ok: boolean; detail: string }[]
  remedy: { method: string; path: string; body?: object } | null
}

const fixture = await newTenantWithSeats()
const { application, tenant, owner, pro, subscription } = fixture
const member = await newTenantMember(fixture)
const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)

async function explain(query: Record<string, string>): Promise<Explanation> {
  const { status, body } = await getLicense(machine, 'explain', { applicationId: application, ...query })
  expect(status).toBe(200)
  return body as unknown as Explanation
}

/** The whole explanation: every step has a sentence, and the message is that of the deciding step. */
function expectDecision(
  explained: Explanation,
  { decidedBy, failing, remedy, ...rest }: Omit<Explanation, 'message' | 'steps'> & { failing: string[] },
) {
  const checks = ['USER', 'MEMBERSHIP', 'MFA_POLICY', 'SUBSCRIPTION', 'SEAT']
  if (rest.hasFeature !== undefined) checks.push('FEATURE')
  expect(explained).toEqual({
    ...rest,
    decidedBy,
    message: explained.steps.find(({ check }) => check === decidedBy)?.detail,
    steps: checks.map((check) => ({
      check,
      ok: !failing.includes(check),
      detail: expect.stringMatching(/\w.*\.$/),
    })),
    remedy,
  })
}

const seatRequest = { userId: member.userId, applicationId: application, licenseTypeId: pro.id }
const granting = {
  method: 'POST',
  path: '/api/integration/licenses/grant',
  body: seatRequest,
}

describe('an explanation', () => {
  test('for a missing seat names the seat, and the call that grants one', async () => {
    const explained = await explain({ userId: member.userId })
    expectDecision(explained, { hasLicense: false, decidedBy: 'SEAT', failing: ['SEAT'], remedy: granting })
    const feature = await explain({ userId: member.userId, featureKey: 'reports' })
    expectDecision(feature, {
      hasLicense: false,
      hasFeature: false,
      decidedBy: 'SEAT',
      failing: ['SEAT', 'FEATURE'],
      remedy: granting,
    })
  })

  test('for a license holder has no remedy', async () => {
    await grantSeat(owner.tenantHeaders, seatRequest)
    const explanation = await explain({ userId: member.userId })
    expectDecision(explanation, { hasLicense: true, decidedBy: 'SEAT', failing: [], remedy: null })
    const feature = await explain({ userId: member.userId, featureKey: 'reports' })
    const all = { hasLicense: true, hasFeature: true, decidedBy: 'FEATURE', failing: [], remedy: null }
    expectDecision(feature, all)
  })

  test('for a missing feature names it, with the next call as remedy', async () => {
    const lacking = async (featureKey: string) => {
      const explained = await explain({ userId: member.userId, featureKey })
      const { remedy } = explained
      expectDecision(explained, {
        hasLicense: true,
        hasFeature: false,
        decidedBy: 'FEATURE',
        failing: ['FEATURE'],
        remedy,
      })
      expect(explained.message).toContain(featureKey)
      return remedy
    }
    // No type has the feature, so the remedy is to change the type.
    const typePath = `/api/licensing/license-types/${pro.id}`
    const learnt = { features: { ...pro.features, teleport: true } }
    expect(await lacking('teleport')).toEqual({ method: 'PATCH', path: typePath, body: learnt })
    // Another type has it: without a subscription, without an available seat, and with one.
    const other = await newLicenseType(application, { features: { fly: true } })
    const sale = { licenseTypeId: other.id, quantityPurchased: 1 }
    const salePath = `/api/licensing/tenants/${tenant.id}/subscriptions`
    expect(await lacking('fly')).toEqual({ method: 'POST', path: salePath, body: sale })
    const { id } = await newSubscription(tenant.id, other.id, { quantityPurchased: 0 })
    const more = { quantityPurchased: 1 }
    expect(await lacking('fly')).toEqual({
      method: 'PATCH',
      path: `/api/licensing/subscriptions/${id}`,
      body: more,
    })
    await changeSubscription(id, more)
    const body = { ...seatRequest, licenseTypeId: other.id }
    const changing = { method: 'POST', path: '/api/integration/licenses/change', body }
    expect(await lacking('fly')).toEqual(changing)
    expect((await call('POST', changing.path, { headers: owner.tenantHeaders, body })).status).toBe(200)
    expect((await explain({ userId: member.userId, featureKey: 'fly' })).hasFeature).toBe(true)
    await call('POST', changing.path, { headers: owner.tenantHeaders, body: seatRequest })
    await changeSubscription(id, { status: 'EXPIRED' })
  })

  test('without available seats names the call that adds one', async () => {
    const full = await newTenantWithSeats(0)
    const reader = await newMachineHeaders(full.application, ['licenses:read'], full.tenant.id)
    const licenseQuery = { userId: full.owner.userId, applicationId: full.application }
    const { body } = await getLicense(reader, 'explain', licenseQuery)
    const path = `/api/licensing/subscriptions/${full.subscription.id}`
    expect(body.remedy).toEqual({ method: 'PATCH', path, body: { quantityPurchased: 1 } })
  })

  test('is about the caller by default', async () => {
    const { body } = await getLicense(member.tenantHeaders, 'explain', { applicationId: application })
    expect(body).toMatchObject({ hasLicense: true, decidedBy: 'SEAT' })
  })

  test('for a suspended member names the membership, and the call that reactivates it', async () => {
    const suspended = await newTenantMember(fixture)
    const path = `/api/tenants/${tenant.id}/members/${suspended.membershipId}`
    await call('PATCH', path, { headers: owner.headers, body: { status: 'SUSPENDED' } })
    const explained = await explain({ userId: suspended.userId })
    expect(explained.message).toContain('SUSPENDED')
    expectDecision(explained, {
      hasLicense: false,
      decidedBy: 'MEMBERSHIP',
      failing: ['MEMBERSHIP', 'SEAT'],
      remedy: { method: 'PATCH', path, body: { status: 'ACTIVE' } },
    })
  })

  test('for an INVITED member names the membership: only the person can accept', async () => {
    await invite(owner.headers, tenant.id, { email: newAddress() })
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED')
    const explained = await explain({ userId: members[0]?.userId ?? '' })
    expect(explained.message).toContain('INVITED')
    expectDecision(explained, {
      hasLicense: false,
      decidedBy: 'MEMBERSHIP',
      failing: ['MEMBERSHIP', 'SEAT'],
      remedy: null,
    })
  })

  test('for a user who is not a member names the invitation as remedy', async () => {
    expectDecision(await explain({ userId: randomUUID() }), {
      hasLicense: false,
      decidedBy: 'MEMBERSHIP',
      failing: ['MEMBERSHIP', 'SEAT'],
      remedy: { method: 'POST', path: `/api/tenants/${tenant.id}/invitations` },
    })
  })

  test('without a subscription names the call that creates one', async () => {
    const unsold = await newLicensedApplication()
    const explained = await explain({ userId: member.userId, applicationId: unsold })
    expectDecision(explained, {
      hasLicense: false,
      decidedBy: 'SUBSCRIPTION',
      failing: ['SUBSCRIPTION', 'SEAT'],
      remedy: null,
    })
    const { id: licenseTypeId } = await newLicenseType(unsold)
    expect(await explain({ userId: member.userId, applicationId: unsold })).toMatchObject({
      remedy: {
        method: 'POST',
        path: `/api/licensing/tenants/${tenant.id}/subscriptions`,
        body: { licenseTypeId, quantityPurchased: 1 },
      },
    })
  })

  test.each([
    ['is EXPIRED', { status: 'EXPIRED' }],
    ['has ended', { currentPeriodEnd: inDays(-1) }],
    ['is PAST_DUE for too long', { status: 'PAST_DUE', currentPeriodEnd: inDays(-8) }],
  ])('for a subscription that %s names it, and a call that restores the license', async (_, change) => {
    await changeSubscription(subscription.id, change)
    const explained = await explain({ userId: member.userId })
    const { remedy } = explained
    expectDecision(explained, {
      hasLicense: false,
      decidedBy: 'SUBSCRIPTION',
      failing: ['SUBSCRIPTION', 'SEAT'],
      remedy,
    })
    expect(remedy).toMatchObject({ method: 'PATCH', path: `/api/licensing/subscriptions/${subscription.id}` })
    const { method = '', path = '', body } = remedy ?? {}
    expect((await call(method, path, { headers: await getOperatorHeaders(), body })).status).toBe(200)
    const revived = await hasLicense(machine, member.userId, application)
    await changeSubscription(subscription.id, { status: 'ACTIVE', currentPeriodEnd: null })
    expect(revived).toBe(true)
  })
})

describe('without per-seat licensing', () => {
  test('an explanation says that all members have a license', async () => {
    const free = await newLicensedApplication('FREE')
    await newLicenseType(free)
    const explained = await explain({ userId: member.userId, applicationId: free })
    expectDecision(explained, { hasLicense: true, decidedBy: 'SEAT', failing: [], remedy: null })
  })

  test('an explanation does not say so without a license type', async () => {
    const free = await newLicensedApplication('FREE')
    const { hasLicense, steps, decidedBy } = await explain({ userId: member.userId, applicationId: free })
    expect(hasLicense).toBe(false)
    expect(steps.find(({ check }) => check === decidedBy)).toMatchObject({ ok: false })
  })

  test('an explanation names the subscription of the tenant', async () => {
    const wide = await newLicensedApplication('TENANT_WIDE')
    const licenseQuery = { userId: member.userId, applicationId: wide }
    const missing = await explain(licenseQuery)
    expect(missing).toMatchObject({ hasLicense: false, decidedBy: 'SUBSCRIPTION' })
    await newSubscription(tenant.id, (await newLicenseType(wide)).id)
    const explanation = await explain(licenseQuery)
    expectDecision(explanation, { hasLicense: true, decidedBy: 'SEAT', failing: [], remedy: null })
  })
})

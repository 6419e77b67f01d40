import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getHeldTokens } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { call, refusal } from '../support/calls.ts'
import { newAddress } from '../support/invitations.ts'
import {
  ask,
  asOps,
  changeSubscription,
  grant,
  hasLicense,
  inDays,
  newInside,
  newLicensedApplication,
  newMachineHeaders,
  newSeats,
  newSubscription,
  newTenantInside,
  newType,
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

const world = await newSeats()
const { application, tenant, owner, pro, subscription } = world
const member = await newInside(world)
const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)

async function explain(query: Record<string, string>): Promise<Explanation> {
  const { status, body } = await ask(machine, 'explain', { applicationId: application, ...query })
  expect(status).toBe(200)
  return body as unknown as Explanation
}

/** The whole explanation: every step has a sentence, and the deciding one's is the message. */
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

const wish = { userId: member.userId, applicationId: application, licenseTypeId: pro.id }
const granting = {
  method: 'POST',
  path: '/api/integration/licenses/grant',
  body: wish,
}

describe('an explanation', () => {
  test('of who has no seat names the seat, and the call that gives one', async () => {
    const explained = await explain({ userId: member.userId })
    expectDecision(explained, { hasLicense: false, decidedBy: 'SEAT', failing: ['SEAT'], remedy: granting })
    const feature = await explain({ userId: member.userId, featureKey: 'reports' })
    expectDecision(feature, {
      ...{ hasLicense: false, hasFeature: false, decidedBy: 'SEAT' },
      ...{ failing: ['SEAT', 'FEATURE'], remedy: granting },
    })
  })

  test('of who has one says so, and has nothing to remedy', async () => {
    await grant(owner.inside, wish)
    const held = await explain({ userId: member.userId })
    expectDecision(held, { hasLicense: true, decidedBy: 'SEAT', failing: [], remedy: null })
    const feature = await explain({ userId: member.userId, featureKey: 'reports' })
    const all = { hasLicense: true, hasFeature: true, decidedBy: 'FEATURE', failing: [], remedy: null }
    expectDecision(feature, all)
  })

  test('of a missing feature names it, and leads to it call by call', async () => {
    const lacking = async (featureKey: string) => {
      const explained = await explain({ userId: member.userId, featureKey })
      const { remedy } = explained
      expectDecision(explained, {
        ...{ hasLicense: true, hasFeature: false, decidedBy: 'FEATURE', failing: ['FEATURE'], remedy },
      })
      expect(explained.message).toContain(featureKey)
      return remedy
    }
    // No type has it: theirs could.
    const typePath = `/api/licensing/license-types/${pro.id}`
    const learnt = { features: { ...pro.features, teleport: true } }
    expect(await lacking('teleport')).toEqual({ method: 'PATCH', path: typePath, body: learnt })
    // Another has it, of which nothing is sold; then all is taken; then there is one.
    const other = await newType(application, { features: { fly: true } })
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
    const body = { ...wish, licenseTypeId: other.id }
    const changing = { method: 'POST', path: '/api/integration/licenses/change', body }
    expect(await lacking('fly')).toEqual(changing)
    expect((await call('POST', changing.path, { headers: owner.inside, body })).status).toBe(200)
    expect((await explain({ userId: member.userId, featureKey: 'fly' })).hasFeature).toBe(true)
    await call('POST', changing.path, { headers: owner.inside, body: wish })
    await changeSubscription(id, { status: 'EXPIRED' })
  })

  test('of who finds every seat taken names the call that buys one more', async () => {
    const full = await newSeats(0)
    const reader = await newMachineHeaders(full.application, ['licenses:read'], full.tenant.id)
    const about = { userId: full.owner.userId, applicationId: full.application }
    const { body } = await ask(reader, 'explain', about)
    const path = `/api/licensing/subscriptions/${full.subscription.id}`
    expect(body.remedy).toEqual({ method: 'PATCH', path, body: { quantityPurchased: 1 } })
  })

  test('is about whoever asks, when nobody is named', async () => {
    const { body } = await ask(member.inside, 'explain', { applicationId: application })
    expect(body).toMatchObject({ hasLicense: true, decidedBy: 'SEAT' })
  })

  test('of a suspended member names the membership, and the call that ends the suspension', async () => {
    const suspended = await newInside(world)
    const path = `/api/tenants/${tenant.id}/members/${suspended.membershipId}`
    await call('PATCH', path, { headers: owner.headers, body: { status: 'SUSPENDED' } })
    const explained = await explain({ userId: suspended.userId })
    expect(explained.message).toContain('SUSPENDED')
    expectDecision(explained, {
      ...{ hasLicense: false, decidedBy: 'MEMBERSHIP', failing: ['MEMBERSHIP', 'SEAT'] },
      remedy: { method: 'PATCH', path, body: { status: 'ACTIVE' } },
    })
  })

  test('of who has not accepted yet names the membership: only they can change it', async () => {
    await invite(owner.headers, tenant.id, { email: newAddress() })
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED')
    const explained = await explain({ userId: members[0]?.userId ?? '' })
    expect(explained.message).toContain('INVITED')
    expectDecision(explained, {
      ...{ hasLicense: false, decidedBy: 'MEMBERSHIP', failing: ['MEMBERSHIP', 'SEAT'], remedy: null },
    })
  })

  test('of who is no member names that, and the way to invite', async () => {
    expectDecision(await explain({ userId: randomUUID() }), {
      ...{ hasLicense: false, decidedBy: 'MEMBERSHIP', failing: ['MEMBERSHIP', 'SEAT'] },
      remedy: { method: 'POST', path: `/api/tenants/${tenant.id}/invitations` },
    })
  })

  test('without any subscription names that, and the way to sell one', async () => {
    const unsold = await newLicensedApplication()
    const explained = await explain({ userId: member.userId, applicationId: unsold })
    expectDecision(explained, {
      ...{ hasLicense: false, decidedBy: 'SUBSCRIPTION', failing: ['SUBSCRIPTION', 'SEAT'] },
      remedy: null,
    })
    const { id: licenseTypeId } = await newType(unsold)
    expect(await explain({ userId: member.userId, applicationId: unsold })).toMatchObject({
      remedy: {
        method: 'POST',
        path: `/api/licensing/tenants/${tenant.id}/subscriptions`,
        body: { licenseTypeId, quantityPurchased: 1 },
      },
    })
  })

  test.each([
    ['was ended', { status: 'EXPIRED' }],
    ['came to its end', { currentPeriodEnd: inDays(-1) }],
    ['was not paid for too long', { status: 'PAST_DUE', currentPeriodEnd: inDays(-8) }],
  ])('of a subscription that %s names it, and a call that brings the licence back', async (_, change) => {
    await changeSubscription(subscription.id, change)
    const explained = await explain({ userId: member.userId })
    const { remedy } = explained
    expectDecision(explained, {
      ...{ hasLicense: false, decidedBy: 'SUBSCRIPTION', failing: ['SUBSCRIPTION', 'SEAT'], remedy },
    })
    expect(remedy).toMatchObject({ method: 'PATCH', path: `/api/licensing/subscriptions/${subscription.id}` })
    const { method = '', path = '', body } = remedy ?? {}
    expect((await call(method, path, { headers: await asOps(), body })).status).toBe(200)
    const revived = await hasLicense(machine, member.userId, application)
    await changeSubscription(subscription.id, { status: 'ACTIVE', currentPeriodEnd: null })
    expect(revived).toBe(true)
  })
})

describe('where nobody is given a seat', () => {
  test('an explanation says that everybody has a licence', async () => {
    const free = await newLicensedApplication('FREE')
    await newType(free)
    const explained = await explain({ userId: member.userId, applicationId: free })
    expectDecision(explained, { hasLicense: true, decidedBy: 'SEAT', failing: [], remedy: null })
  })

  test('an explanation does not say so when there is no license type', async () => {
    const free = await newLicensedApplication('FREE')
    const { hasLicense, steps, decidedBy } = await explain({ userId: member.userId, applicationId: free })
    expect(hasLicense).toBe(false)
    expect(steps.find(({ check }) => check === decidedBy)).toMatchObject({ ok: false })
  })

  test('an explanation names the subscription of the tenant', async () => {
    const wide = await newLicensedApplication('TENANT_WIDE')
    const about = { userId: member.userId, applicationId: wide }
    const missing = await explain(about)
    expect(missing).toMatchObject({ hasLicense: false, decidedBy: 'SUBSCRIPTION' })
    await newSubscription(tenant.id, (await newType(wide)).id)
    const held = await explain(about)
    expectDecision(held, { hasLicense: true, decidedBy: 'SEAT', failing: [], remedy: null })
  })
})

describe('the MFA policy', () => {
  test('is told of and decides nothing about licences, and of strangers nothing is told at all', async () => {
    const strict = await newSeats()
    const reader = await newMachineHeaders(strict.application, ['licenses:read'], strict.tenant.id)
    const about = (userId: string) => ask(reader, 'explain', { userId, applicationId: strict.application })
    await grant(strict.owner.inside, {
      userId: strict.owner.userId,
      applicationId: strict.application,
      licenseTypeId: strict.pro.id,
    })
    const path = `/api/tenants/${strict.tenant.id}`
    await call('PATCH', path, { headers: strict.owner.headers, body: { mfaPolicy: 'REQUIRED' } })
    const { body } = await about(strict.owner.userId)
    expect(body).toMatchObject({ hasLicense: true, decidedBy: 'SEAT', remedy: null })
    expect(body.steps).toContainEqual({ check: 'MFA_POLICY', ok: false, detail: expect.any(String) })

    const outsider = await newTenantInside()
    await addApp(await getHeldTokens(outsider.owner.person))
    expect((await about(outsider.owner.userId)).body).toEqual((await about(randomUUID())).body)
  })
})

test('of who has only been invited an explanation tells nothing of their account', async () => {
  const strict = await newSeats()
  const { headers } = strict.owner
  const reader = await newMachineHeaders(strict.application, ['licenses:read'], strict.tenant.id)
  await call('PATCH', `/api/tenants/${strict.tenant.id}`, { headers, body: { mfaPolicy: 'REQUIRED' } })
  const outsider = await newTenantInside()
  await invite(headers, strict.tenant.id, { email: outsider.owner.person.email })
  const { members } = await listMembers(headers, strict.tenant.id, '?status=INVITED')
  const { body } = await ask(reader, 'explain', {
    ...{ userId: members[0]?.userId ?? '', applicationId: strict.application },
  })
  expect(body).toMatchObject({ decidedBy: 'MEMBERSHIP', message: expect.stringContaining('INVITED') })
  const told = body.steps as Explanation['steps']
  expect(told.filter(({ check }) => check === 'USER' || check === 'MFA_POLICY')).toMatchObject([
    { ok: true },
    { ok: true },
  ])
})

test('of others an explanation is for those who look after the tenant', async () => {
  const about = { userId: owner.userId, applicationId: application }
  const refused = await ask(member.inside, 'explain', about)
  expect(refused.body).toEqual(refusal(403, 'FORBIDDEN'))
  const own = { ...about, userId: member.userId.toUpperCase() }
  for (const answer of [
    await ask(member.inside, 'explain', own),
    await ask(owner.inside, 'explain', { ...about, userId: member.userId }),
    await ask((await newInside(world, 'admin')).inside, 'explain', about),
  ]) {
    expect(answer.status).toBe(200)
  }
})

test('of somebody in another tenant an explanation says what it says of nobody', async () => {
  const outsider = await newTenantInside()
  expect(await explain({ userId: outsider.owner.userId })).toEqual(await explain({ userId: randomUUID() }))
})

import { describe, expect, test } from 'vitest'
import { newMachine } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import {
  callLicensing,
  changeSeat,
  changeSubscription,
  grantSeat,
  type LedgerEntry,
  newLicenseType,
  newSubscription,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  readLedger,
  revokeSeat,
} from '../support/licensing.ts'
import { bearer, requestMachineToken } from '../support/oauth.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'

const { application, tenant, owner, pro, subscription } = await newTenantWithSeats(2)
const [member, max, robot] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newLicenseType(application, { name: 'Max' }),
  newMachine(application, ['licenses:write'], { tenantId: tenant.id }),
])
const machine = bearer((await requestMachineToken(robot)).body.access_token)
const second = await newSubscription(tenant.id, max.id, { quantityPurchased: 1 })
const licenseQuery = { userId: member.userId, applicationId: application }
const membership = `/api/tenants/${tenant.id}/members/${member.membershipId}`
const setStatus = (status: string) => call('PATCH', membership, { headers: owner.headers, body: { status } })

const actions: [name: string, act: () => Promise<{ status: number }>][] = [
  ['grant', () => grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })],
  ['change', () => changeSeat(machine, { ...licenseQuery, licenseTypeId: max.id })],
  ['suspend', () => setStatus('SUSPENDED')],
  ['reactivate', () => setStatus('ACTIVE')],
  ['revoke', () => revokeSeat(machine, licenseQuery)],
  ['grant again', () => grantSeat(machine, { ...licenseQuery, licenseTypeId: pro.id })],
  ['resize', () => changeSubscription(subscription.id, { quantityPurchased: 7 })],
  ['remove', () => call('DELETE', membership, { headers: owner.headers })],
]
for (const [name, act] of actions) {
  const { status } = await act()
  if (status >= 300) throw new Error(`${name}: ${status}`)
}
const { entries, next } = await readLedger(tenant.id)

const ofClient = (clientId: string) => `client:${clientId}`
const asOwner = `user:${owner.userId}`
const seatEntry = (reason: string, actor: string | null) => ({
  reason,
  actor,
  subject: 'seat',
  userId: member.userId,
  applicationId: application,
})
const subscriptionEntry = (reason: string, actor: string | null) => ({
  reason,
  actor,
  subject: 'subscription',
  userId: null,
  applicationId: application,
})

describe('the ledger', () => {
  test('contains all changes in order, without gaps', () => {
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
    expect(next).toBeNull()
    expect(entries.map(({ reason }) => reason)).toEqual([
      'SUBSCRIBED',
      'SUBSCRIBED',
      'GRANTED',
      'CHANGED',
      'SUSPENDED',
      'REACTIVATED',
      'REVOKED',
      'GRANTED',
      'SUBSCRIPTION_CHANGED',
      'ENDED',
    ])
  })

  test('each entry has all fields', () => {
    const state = (licenseTypeId: string, subscriptionId: string, status = 'ASSIGNED') => ({
      status,
      licenseTypeId,
      subscriptionId,
      assignedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(entries[2]).toEqual({
      sequence: 3,
      occurredAt: expect.stringMatching(TIMESTAMP),
      ...seatEntry('GRANTED', asOwner),
      subjectId: expect.stringMatching(UUID),
      before: null,
      after: state(pro.id, subscription.id),
    })
    expect(entries[3]).toMatchObject({
      before: state(pro.id, subscription.id),
      after: state(max.id, second.id),
    })
    expect(entries[4]).toMatchObject({ after: state(max.id, second.id, 'PARKED') })
    expect(entries[6]).toMatchObject({ before: state(max.id, second.id), after: null })
    expect(entries[0]).toEqual({
      sequence: 1,
      occurredAt: expect.stringMatching(TIMESTAMP),
      ...subscriptionEntry('SUBSCRIBED', entries[0]?.actor ?? null),
      subjectId: subscription.id,
      before: null,
      after: {
        licenseTypeId: pro.id,
        quantityPurchased: 2,
        status: 'ACTIVE',
        currentPeriodStart: expect.stringMatching(TIMESTAMP),
        currentPeriodEnd: null,
      },
    })
    expect(entries[8]).toMatchObject({ before: { quantityPurchased: 2 }, after: { quantityPurchased: 7 } })
  })

  test('names the actor of grants and revocations', () => {
    expect(entries.slice(2)).toMatchObject([
      seatEntry('GRANTED', asOwner),
      seatEntry('CHANGED', ofClient(robot.clientId)),
      seatEntry('SUSPENDED', asOwner),
      seatEntry('REACTIVATED', asOwner),
      seatEntry('REVOKED', ofClient(robot.clientId)),
      seatEntry('GRANTED', ofClient(robot.clientId)),
      { reason: 'SUBSCRIPTION_CHANGED' },
      seatEntry('ENDED', asOwner),
    ])
  })

  test('names the actor of subscription changes', () => {
    const sold = entries.filter(({ subject }) => subject === 'subscription')
    const actor = ofClient('demo-ops')
    expect(sold).toMatchObject([
      subscriptionEntry('SUBSCRIBED', actor),
      subscriptionEntry('SUBSCRIBED', actor),
      subscriptionEntry('SUBSCRIPTION_CHANGED', actor),
    ])
  })

  test('has no entry for refused requests or requests without effect', async () => {
    await grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: 'x' })
    await revokeSeat(owner.tenantHeaders, licenseQuery)
    await changeSubscription(subscription.id, { quantityPurchased: 7 })
    expect((await readLedger(tenant.id)).entries).toEqual(entries)
  })

  test.each([1, 3, 9, 10, 1_000])('can be read in pages of %s', async (limit) => {
    const seen: LedgerEntry[] = []
    let after: number | null = 0
    for (let page = 0; after !== null && page < 20; page++) {
      const response: { entries: LedgerEntry[]; next: number | null } = await readLedger(
        tenant.id,
        `?after=${after}&limit=${limit}`,
      )
      expect(response.entries.length).toBeLessThanOrEqual(limit)
      if (response.next !== null) expect(response.next).toBe(response.entries.at(-1)?.sequence)
      seen.push(...response.entries)
      after = response.next
    }
    expect(seen).toEqual(entries)
  })

  test('is empty after its end', async () => {
    for (const after of [entries.length, 9_999, Number.MAX_SAFE_INTEGER]) {
      expect(await readLedger(tenant.id, `?after=${after}`)).toEqual({ entries: [], next: null })
    }
  })

  test.each([
    'after=-1',
    'after=1.5',
    'after=abc',
    'after=99999999999999999999',
    'limit=0',
    'limit=-1',
    'limit=abc',
    'limit=1.5',
    'limit=1001',
    'after=1&after=2',
  ])('refuses %s', async (query) => {
    const { status, body } = await callLicensing('GET', `/tenants/${tenant.id}/ledger?${query}`)
    expect(status).toBe(422)
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: expect.any(Array) }))
  })

  test('is separate for each tenant', async () => {
    const other = await newTenantWithOwner()
    expect(await readLedger(other.tenant.id)).toEqual({ entries: [], next: null })
    await newSubscription(other.tenant.id, pro.id)
    expect((await readLedger(other.tenant.id)).entries).toMatchObject([{ sequence: 1, reason: 'SUBSCRIBED' }])
    expect((await readLedger(tenant.id)).entries).toEqual(entries)
  })
})

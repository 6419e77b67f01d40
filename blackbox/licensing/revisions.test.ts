import { describe, expect, test } from 'vitest'
import { call } from '../support/calls.ts'
import {
  changeSeat,
  getLicense,
  grantSeat,
  LICENSES,
  newLicenseType,
  newSubscription,
  newTenantMember,
  newTenantWithSeats,
  postLicense,
  readLedger,
  revokeSeat,
} from '../support/licensing.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats()
const [member, max] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newLicenseType(application, { name: 'Max' }),
])
await newSubscription(tenant.id, max.id)
const licenseQuery = { userId: member.userId, applicationId: application }
const READERS = ['check', 'feature', 'type', 'explain']
const query = { ...licenseQuery, featureKey: 'reports' }

test('every change of seats returns its ledger revision', async () => {
  const latest = async () => (await readLedger(tenant.id, '?limit=1000')).entries.at(-1)?.sequence
  const bulk = (path: string, body: object) =>
    call('POST', `${LICENSES}/${path}/bulk`, { headers: owner.tenantHeaders, body })
  const actions = [
    () => grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id }),
    () => changeSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: max.id }),
    () => revokeSeat(owner.tenantHeaders, licenseQuery),
    () => bulk('grant', { grants: [{ ...licenseQuery, licenseTypeId: pro.id }] }),
    () => bulk('revoke', { revocations: [licenseQuery] }),
  ]
  let before = (await latest()) ?? 0
  for (const action of actions) {
    const { status, headers } = await action()
    expect([200, 201]).toContain(status)
    const revision = headers.get('x-license-revision') ?? ''
    expect(revision).toMatch(/^\d+$/)
    expect(Number(revision)).toBe(before + 1)
    expect(await latest()).toBe(Number(revision))
    before = Number(revision)
  }
})

test('a check with that revision includes the change', async () => {
  for (let round = 0; round < 5; round++) {
    const granted = await grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })
    const minRevision = granted.headers.get('x-license-revision') ?? ''
    const query = [
      await getLicense(owner.tenantHeaders, 'check', { ...licenseQuery, minRevision }),
      await getLicense({ ...owner.tenantHeaders, 'x-license-min-revision': minRevision }, 'check', licenseQuery),
      await postLicense(owner.tenantHeaders, 'check', { body: { ...licenseQuery, minRevision } }),
      await postLicense(owner.tenantHeaders, 'check', {
        body: { ...licenseQuery, minRevision: Number(minRevision) },
      }),
    ]
    for (const { body } of query) expect(body).toMatchObject({ hasLicense: true })
    const revoked = await revokeSeat(owner.tenantHeaders, licenseQuery)
    const later = revoked.headers.get('x-license-revision') ?? ''
    expect(
      (await getLicense(owner.tenantHeaders, 'check', { ...licenseQuery, minRevision: later })).body,
    ).toMatchObject({
      hasLicense: false,
    })
  }
})

describe.each(READERS)('%s', (path) => {
  test.each(['0', '1', '999999999999999999'])('accepts the revision %s', async (minRevision) => {
    expect((await getLicense(owner.tenantHeaders, path, { ...query, minRevision })).status).toBe(200)
    const headers = { ...owner.tenantHeaders, 'x-license-min-revision': minRevision }
    expect((await getLicense(headers, path, query)).status).toBe(200)
  })

  test.each(['', '-1', '1.5', 'abc', '1e3', '0x10', ' 1', '1 ', '9'.repeat(19), '١'])(
    'refuses the revision "%s", before the application is checked',
    async (minRevision) => {
      for (const applicationId of [application, 'nonsense']) {
        const { status, body } = await getLicense(owner.tenantHeaders, path, {
          ...query,
          applicationId,
          minRevision,
        })
        expect(status).toBe(422)
        expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'minRevision' }] })
      }
    },
  )

  // HTTP removes spaces around a header value, and a header cannot contain other digits.
  test.each(['', '-1', '1.5', 'abc', '1e3', '0x10', '9'.repeat(19), '1, 2'])(
    'refuses the header "%s"',
    async (revision) => {
      const headers = { ...owner.tenantHeaders, 'x-license-min-revision': revision }
      for (const applicationId of [application, 'nonsense']) {
        const { status, body } = await getLicense(headers, path, { ...query, applicationId })
        expect(status).toBe(422)
        expect(body).toMatchObject({
          error: 'VALIDATION_FAILED',
          details: [{ field: 'X-License-Min-Revision' }],
        })
      }
    },
  )
})

test('the revision in the body has priority over that in the query', async () => {
  const query = { ...licenseQuery, minRevision: '1' }
  const refused = await postLicense(owner.tenantHeaders, 'check', { query, body: { minRevision: 'abc' } })
  expect(refused.status).toBe(422)
  expect((await postLicense(owner.tenantHeaders, 'check', { query, body: { minRevision: '2' } })).status).toBe(200)
})

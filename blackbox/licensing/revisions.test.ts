import { describe, expect, test } from 'vitest'
import { call } from '../support/calls.ts'
import {
  ask,
  askByPost,
  change,
  grant,
  LICENSES,
  newInside,
  newSeats,
  newSubscription,
  newType,
  readLedger,
  revoke,
} from '../support/licensing.ts'

const { application, tenant, owner, pro } = await newSeats()
const [member, max] = await Promise.all([newInside({ tenant, owner }), newType(application, { name: 'Max' })])
await newSubscription(tenant.id, max.id)
const about = { userId: member.userId, applicationId: application }
const READERS = ['check', 'feature', 'type', 'explain']
const asked = { ...about, featureKey: 'reports' }

test('everything that changes seats answers the place in the ledger that it came to', async () => {
  const latest = async () => (await readLedger(tenant.id, '?limit=1000')).entries.at(-1)?.sequence
  const bulk = (path: string, body: object) =>
    call('POST', `${LICENSES}/${path}/bulk`, { headers: owner.inside, body })
  const deeds = [
    () => grant(owner.inside, { ...about, licenseTypeId: pro.id }),
    () => change(owner.inside, { ...about, licenseTypeId: max.id }),
    () => revoke(owner.inside, about),
    () => bulk('grant', { grants: [{ ...about, licenseTypeId: pro.id }] }),
    () => bulk('revoke', { revocations: [about] }),
  ]
  let before = (await latest()) ?? 0
  for (const deed of deeds) {
    const { status, headers } = await deed()
    expect([200, 201]).toContain(status)
    const revision = headers.get('x-license-revision') ?? ''
    expect(revision).toMatch(/^\d+$/)
    expect(Number(revision)).toBe(before + 1)
    expect(await latest()).toBe(Number(revision))
    before = Number(revision)
  }
})

test('a question that asks for a revision knows what was answered with it', async () => {
  for (let round = 0; round < 5; round++) {
    const granted = await grant(owner.inside, { ...about, licenseTypeId: pro.id })
    const minRevision = granted.headers.get('x-license-revision') ?? ''
    const asked = [
      await ask(owner.inside, 'check', { ...about, minRevision }),
      await ask({ ...owner.inside, 'x-license-min-revision': minRevision }, 'check', about),
      await askByPost(owner.inside, 'check', { body: { ...about, minRevision } }),
      await askByPost(owner.inside, 'check', { body: { ...about, minRevision: Number(minRevision) } }),
    ]
    for (const { body } of asked) expect(body).toMatchObject({ hasLicense: true })
    const revoked = await revoke(owner.inside, about)
    const later = revoked.headers.get('x-license-revision') ?? ''
    expect((await ask(owner.inside, 'check', { ...about, minRevision: later })).body).toMatchObject({
      hasLicense: false,
    })
  }
})

describe.each(READERS)('%s', (path) => {
  test.each(['0', '1', '999999999999999999'])('takes the revision %s', async (minRevision) => {
    expect((await ask(owner.inside, path, { ...asked, minRevision })).status).toBe(200)
    const headers = { ...owner.inside, 'x-license-min-revision': minRevision }
    expect((await ask(headers, path, asked)).status).toBe(200)
  })

  test.each(['', '-1', '1.5', 'abc', '1e3', '0x10', ' 1', '1 ', '9'.repeat(19), '١'])(
    'refuses the revision "%s", before it looks at the application',
    async (minRevision) => {
      for (const applicationId of [application, 'nonsense']) {
        const { status, body } = await ask(owner.inside, path, { ...asked, applicationId, minRevision })
        expect(status).toBe(422)
        expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'minRevision' }] })
      }
    },
  )

  // Spaces around it are no part of a header, and other letters than these cannot stand in one.
  test.each(['', '-1', '1.5', 'abc', '1e3', '0x10', '9'.repeat(19), '1, 2'])(
    'refuses the header "%s"',
    async (revision) => {
      const headers = { ...owner.inside, 'x-license-min-revision': revision }
      for (const applicationId of [application, 'nonsense']) {
        const { status, body } = await ask(headers, path, { ...asked, applicationId })
        expect(status).toBe(422)
        expect(body).toMatchObject({
          error: 'VALIDATION_FAILED',
          details: [{ field: 'X-License-Min-Revision' }],
        })
      }
    },
  )
})

test('the body’s revision comes before that of the address', async () => {
  const query = { ...about, minRevision: '1' }
  const refused = await askByPost(owner.inside, 'check', { query, body: { minRevision: 'abc' } })
  expect(refused.status).toBe(422)
  expect((await askByPost(owner.inside, 'check', { query, body: { minRevision: '2' } })).status).toBe(200)
})

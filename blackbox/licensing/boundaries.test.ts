import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import {
  ask,
  askByPost,
  change,
  grant,
  type Headers,
  hasLicense,
  LICENSES,
  newMachineHeaders,
  newSeats,
  newSubscription,
  newTenantInside,
  readHolders,
  readLedger,
  revoke,
  UNLICENSED,
} from '../support/licensing.ts'

/** Two tenants with seats of the same application; in the other one, the owner has theirs. */
const { application, tenant, owner, pro } = await newSeats(2)
const other = await newTenantInside()
await newSubscription(other.tenant.id, pro.id, { quantityPurchased: 2 })
const wish = { userId: other.owner.userId, applicationId: application, licenseTypeId: pro.id }
await grant(other.owner.inside, wish)
const machine = await newMachineHeaders(application, ['licenses:read', 'licenses:write'], tenant.id)

const NAMES = ['tenantId', 'tenant', 'tenant_id', 'tenantSlug', 'tenant_slug', 'X-Tenant-Id']
const ELSEWHERE: Record<string, string> = Object.fromEntries(
  NAMES.map((name) => [name, /slug|^tenant$/i.test(name) ? other.tenant.slug : other.tenant.id]),
)
const HEADERS: Headers = {
  'x-tenant-id': other.tenant.id,
  'x-tenant': other.tenant.slug,
  'tenant-id': other.tenant.id,
  'x-latchkey-tenant': other.tenant.id,
  'x-forwarded-host': `${other.tenant.slug}.localhost`,
}

describe.each([
  ['an owner', owner.inside],
  ['a machine', machine],
])('%s of one tenant', (_, inside) => {
  const everywhere = { ...inside, ...HEADERS }
  const about = { userId: other.owner.userId, applicationId: application }

  test('learns nothing of another, however it is named', async () => {
    const asked = { ...about, ...ELSEWHERE, featureKey: 'reports' }
    expect((await ask(everywhere, 'check', asked)).body).toEqual(UNLICENSED)
    expect((await askByPost(everywhere, 'check', { body: asked })).body).toEqual(UNLICENSED)
    expect((await askByPost(everywhere, 'check', { body: asked, query: ELSEWHERE })).body).toEqual(UNLICENSED)
    expect((await ask(everywhere, 'feature', asked)).body).toEqual({ hasFeature: false })
    expect((await askByPost(everywhere, 'feature', { body: asked })).body).toEqual({ hasFeature: false })
    expect((await ask(everywhere, 'type', asked)).body).toEqual({ licenseType: null })
    expect((await ask(everywhere, 'explain', asked)).body).toMatchObject({ decidedBy: 'MEMBERSHIP' })
    const query = new URLSearchParams(ELSEWHERE)
    for (const [list, empty] of [
      ['users', []],
      ['count', { count: 0 }],
    ]) {
      const path = `${LICENSES}/apps/${application}/${list}?${query}`
      expect((await call('GET', path, { headers: everywhere })).body).toEqual(empty)
    }
  })

  test('changes nothing in another, however it is named', async () => {
    const before = await readLedger(other.tenant.id)
    const named = { ...wish, ...ELSEWHERE }
    expect((await grant(everywhere, named)).body).toEqual(refusal(404, 'USER_NOT_FOUND'))
    expect((await revoke(everywhere, named)).body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))
    expect((await change(everywhere, named)).body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))
    for (const [path, body] of [
      ['grant', { grants: [named], ...ELSEWHERE }],
      ['revoke', { revocations: [named], ...ELSEWHERE }],
    ] as const) {
      const answer = await call('POST', `${LICENSES}/${path}/bulk`, { headers: everywhere, body })
      expect(answer.body).toMatchObject({ done: 0, failed: 1, results: [{ statusCode: 404 }] })
    }
    expect(await readLedger(other.tenant.id)).toEqual(before)
    expect(await hasLicense(other.owner.inside, other.owner.userId, application)).toBe(true)
  })

  test('takes a seat of its own tenant for its own people, whatever else is named', async () => {
    const named = { ...wish, ...ELSEWHERE, userId: owner.userId }
    expect((await grant(everywhere, named)).status).toBe(201)
    expect((await readHolders(inside, application)).users.map(({ userId }) => userId)).toEqual([owner.userId])
    expect((await readHolders(other.owner.inside, application)).count).toBe(1)
    expect((await revoke(everywhere, named)).status).toBe(200)
  })

  test('cannot tell somebody of another tenant from nobody', async () => {
    const bodies = async (userId: string) => {
      const someone = { ...wish, userId }
      const answers = [
        await ask(inside, 'check', { userId, applicationId: application }),
        await ask(inside, 'type', { userId, applicationId: application }),
        await ask(inside, 'feature', { userId, applicationId: application, featureKey: 'reports' }),
        await ask(inside, 'explain', { userId, applicationId: application }),
        await grant(inside, someone),
        await change(inside, someone),
        await revoke(inside, someone),
      ]
      return answers.map(({ status, body }) => ({ status, body: { ...body, requestId: undefined } }))
    }
    const ofNobody = await bodies(randomUUID())
    expect(await bodies(other.owner.userId)).toEqual(ofNobody)
    expect(await bodies('no-id')).toEqual(ofNobody)
  })
})

test('one tenant’s seats are not another’s: each has its own number', async () => {
  const { pro, tenant, owner, application } = await newSeats(0)
  const rich = await newTenantInside()
  await newSubscription(rich.tenant.id, pro.id, { quantityPurchased: 100 })
  const wish = {
    userId: owner.userId,
    applicationId: application,
    licenseTypeId: pro.id,
    tenantId: rich.tenant.id,
  }
  expect((await grant(owner.inside, wish)).body).toEqual(
    refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
  )
  expect((await readLedger(tenant.id)).entries).toHaveLength(1)
})

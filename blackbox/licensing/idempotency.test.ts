import { expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import {
  type Assignment,
  asOps,
  getInside,
  grant,
  type Headers,
  hasLicense,
  LICENSES,
  LICENSING,
  newInside,
  newMachineHeaders,
  newSeats,
  newSubscription,
  newType,
  readHolders,
  revoke,
} from '../support/licensing.ts'
import { unique } from '../support/service.ts'
import { listMembers, newTenant } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newSeats(3)
const [member, colleague] = await Promise.all([
  newInside({ tenant, owner }),
  newInside({ tenant, owner }, 'admin'),
])

const wish = (userId = member.userId, fields: object = {}) => ({
  userId,
  applicationId: application,
  licenseTypeId: pro.id,
  ...fields,
})
const newKey = () => ({ 'idempotency-key': unique('key') })
const clear = (userId = member.userId) => revoke(owner.inside, { userId, applicationId: application })

test('a grant that is repeated with its key is answered the same, and done once', async () => {
  const key = newKey()
  const first = await grant(owner.inside, wish(), key)
  const second = await grant(owner.inside, wish(), key)
  expect(first.status).toBe(201)
  expect(second.status).toBe(201)
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect((await readHolders(owner.inside, application)).count).toBe(1)
  await clear()
  // What was answered once is answered again, whatever has happened since.
  expect((await grant(owner.inside, wish(), key)).body).toEqual(first.body)
  expect(await hasLicense(owner.inside, member.userId, application)).toBe(false)
})

test('the repeated answer to a grant tells a revision that knows of it', async () => {
  const key = newKey()
  const first = await grant(owner.inside, wish(), key)
  const second = await grant(owner.inside, wish(), key)
  await clear()
  const revision = Number(first.headers.get('x-license-revision'))
  expect(revision).toBeGreaterThan(0)
  expect(Number(second.headers.get('x-license-revision'))).toBeGreaterThanOrEqual(revision)
})

test('a refusal is repeated too', async () => {
  const key = newKey()
  await grant(owner.inside, wish())
  const refused = await grant(owner.inside, wish(), key)
  expect(refused.body).toEqual(refusal(400, 'ALREADY_LICENSED'))
  await clear()
  const again = await grant(owner.inside, wish(), key)
  expect(again.status).toBe(400)
  expect(again.body).toEqual(refusal(400, 'ALREADY_LICENSED'))
  expect(await hasLicense(owner.inside, member.userId, application)).toBe(false)
})

test('the same key with another body is refused, and nothing is done', async () => {
  const key = newKey()
  expect((await grant(owner.inside, wish(), key)).status).toBe(201)
  for (const body of [wish(colleague.userId), wish(member.userId, { licenseTypeId: 'x' }), {}]) {
    const { status, body: answer } = await grant(owner.inside, body, key)
    expect(status).toBe(422)
    expect(answer).toEqual(refusal(422, 'IDEMPOTENCY_KEY_REUSED'))
  }
  expect(await hasLicense(owner.inside, colleague.userId, application)).toBe(false)
  await clear()
})

test('of many with one key at once, all are answered the same', async () => {
  const key = newKey()
  const answers = await Promise.all(Array.from({ length: 8 }, () => grant(owner.inside, wish(), key)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  await clear()
})

test('a key is its caller’s own', async () => {
  const key = newKey()
  const machine = await newMachineHeaders(application, ['licenses:write'], tenant.id)
  expect((await grant(owner.inside, wish(), key)).status).toBe(201)
  for (const headers of [colleague.inside, machine]) {
    expect((await grant(headers, wish(), key)).body).toEqual(refusal(400, 'ALREADY_LICENSED'))
  }
  await clear()
})

test('whoever may not grant any more hears so, whatever their key was answered once', async () => {
  const former = await newInside({ tenant, owner }, 'admin')
  const key = newKey()
  expect((await grant(former.inside, wish(), key)).status).toBe(201)
  const path = `/api/tenants/${tenant.id}/members/${former.membershipId}`
  await call('PATCH', path, { headers: owner.headers, body: { role: 'member' } })
  const { status, body } = await grant(former.inside, wish(), key)
  expect(status).toBe(403)
  expect(body).toEqual(refusal(403, 'FORBIDDEN'))
  await clear()
})

test('a key that was used in one tenant does not answer for another', async () => {
  const second = await newTenant(owner.headers)
  await newSubscription(second.id, pro.id, { quantityPurchased: 1 })
  const { members } = await listMembers(owner.headers, second.id)
  const there = await getInside({ ...owner, membershipId: members[0]?.id ?? '' }, second)
  const key = newKey()
  const first = await grant(owner.inside, wish(owner.userId), key)
  expect(first.status).toBe(201)
  const other = await grant(there.inside, wish(owner.userId), key)
  // Either it is done, or the key is refused: what happened elsewhere must not pass for it.
  if (other.status === 201) expect(await hasLicense(there.inside, owner.userId, application)).toBe(true)
  else expect(other.body).toEqual(refusal(422, 'IDEMPOTENCY_KEY_REUSED'))
  await clear(owner.userId)
})

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
])('a key that is %s is refused', async (_, key) => {
  const { status, body } = await grant(owner.inside, wish(), { 'idempotency-key': key })
  expect(status).toBe(422)
  expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'Idempotency-Key' }] })
})

test('many grants and many revocations are repeated with their key as one', async () => {
  const send = (path: string, body: object, key: Headers) =>
    call<{ results: { license?: Assignment }[] }>('POST', `${LICENSES}/${path}`, {
      headers: { ...owner.inside, ...key },
      body,
    })
  const keys = [newKey(), newKey()] as const
  const granted = await send('grant/bulk', { grants: [wish()] }, keys[0])
  const grantedAgain = await send('grant/bulk', { grants: [wish()] }, keys[0])
  expect(granted.body).toMatchObject({ done: 1, failed: 0 })
  expect(grantedAgain.body).toEqual(granted.body)
  const body = { revocations: [{ userId: member.userId, applicationId: application }] }
  const revoked = await send('revoke/bulk', body, keys[1])
  expect(revoked.body).toMatchObject({ done: 1, failed: 0 })
  expect((await send('revoke/bulk', body, keys[1])).body).toEqual(revoked.body)
  const other = await send(
    'revoke/bulk',
    { revocations: [...body.revocations, ...body.revocations] },
    keys[1],
  )
  expect(other.body).toEqual(refusal(422, 'IDEMPOTENCY_KEY_REUSED'))
})

test('a sale that is repeated with its key is made once', async () => {
  const type = await newType(application)
  const headers = { ...(await asOps()), ...newKey() }
  const path = `${LICENSING}/tenants/${tenant.id}/subscriptions`
  const sell = (quantityPurchased: number) =>
    call('POST', path, { headers, body: { licenseTypeId: type.id, quantityPurchased } })
  const first = await sell(2)
  expect(first.status).toBe(201)
  expect(await sell(2)).toMatchObject({ status: 201, body: first.body })
  expect((await sell(3)).body).toEqual(refusal(422, 'IDEMPOTENCY_KEY_REUSED'))
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSecret } from '../../src/lib/secrets.ts'
import { call, errorReply, insertUser, listMailTo } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { addMember, cookieOf, findIds, machineToken, signIn, startDemoService } from '../support/world.ts'
import { act, allowSupport, bearer, newMember, newOperator, type Operator, REASON, start, statusOf } from './steps.ts'

let service: TestService
let operator: Operator

beforeAll(async () => {
  service = await startDemoService({ config: { supportAccess: true } })
  operator = await newOperator(service)
  await allowSupport(service)
})
afterAll(() => service?.close())

const expectRefused = async (code: string, status: number, member: { id: string; tenantId: string }, by = operator) =>
  expect(await start(service, by, member)).toMatchObject(errorReply(status, code))

test('the instance does not have the routes, the pages and the tenant setting without SUPPORT_ACCESS', async () => {
  const off = await startService({ sameDatabaseAs: service, config: { supportAccess: false } })
  try {
    const member = await newMember(service)
    expect((await start(off, operator, member)).status).toBe(404)
    expect((await fetch(`${off.url}/support-access`)).status).toBe(404)
    const { cookie } = await act(service, operator, member)
    const profile = await call(`${off.url}/api/users/me`, { method: 'GET', headers: { cookie } })
    expect(profile.body).toMatchObject({ id: operator.id })
    const olivia = { cookie: await signIn(off.url, 'olivia@acme.test'), 'Sec-Fetch-Site': 'same-origin' }
    const path = `${off.url}/api/tenants/${member.tenantId}`
    expect((await call(path, { method: 'GET', headers: olivia })).body).not.toHaveProperty('supportAccess')
    const change = await call(path, { method: 'PATCH', headers: olivia, body: { supportAccess: true } })
    expect(change).toMatchObject(errorReply(409, 'SUPPORT_ACCESS_OFF'))
  } finally {
    await off.close()
  }
})

test('an admin of the tenant must allow it; a member cannot, and neither can the operator', async () => {
  const member = await newMember(service, {}, 'globex')
  await expectRefused('SUPPORT_ACCESS_OFF', 409, member)
  const change = async (email: string) => {
    const headers = { cookie: await signIn(service.url, email), 'Sec-Fetch-Site': 'same-origin' }
    const path = `${service.url}/api/tenants/${member.tenantId}`
    return call(path, { method: 'PATCH', headers, body: { supportAccess: true } })
  }
  expect((await change(member.email)).status).toBe(403)
  await call(`${service.url}/api/admin/tenants/${member.tenantId}`, {
    method: 'PATCH',
    headers: bearer(operator.tokens.access_token),
    body: { supportAccess: true, name: 'Globex' },
  })
  await expectRefused('SUPPORT_ACCESS_OFF', 409, member)
  expect(await change('gus@globex.test')).toMatchObject({ status: 200, body: { supportAccess: true } })
  expect((await start(service, operator, member)).status).toBe(201)
})

test('nobody acts as a Super Admin, oneself, a disabled user, or somebody who is no active member', async () => {
  const superAdmin = await newMember(service, { is_super_admin: true })
  await expectRefused('SUPPORT_ACCESS_REFUSED', 409, superAdmin)
  const disabled = await newMember(service, { disabled: true })
  await expectRefused('SUPPORT_ACCESS_REFUSED', 409, disabled)
  const leaving = await newMember(service, { deletion_requested_at: new Date() }).catch(() => undefined)
  if (leaving) await expectRefused('SUPPORT_ACCESS_REFUSED', 409, leaving)
  const unconfirmed = await newMember(service, { email_verified: false })
  await expectRefused('SUPPORT_ACCESS_REFUSED', 409, unconfirmed)
  const suspended = await newMember(service)
  await service.ctx.db
    .updateTable('memberships')
    .set({ status: 'SUSPENDED' })
    .where('user_id', '=', suspended.id)
    .execute()
  await expectRefused('SUPPORT_ACCESS_REFUSED', 409, suspended)
  await expectRefused('OWN_ACCOUNT', 409, { ...suspended, id: operator.id })
  const stranger = await insertUser(service)
  await expectRefused('MEMBER_NOT_FOUND', 404, { ...stranger, tenantId: suspended.tenantId })
  await expectRefused('MEMBER_NOT_FOUND', 404, { ...suspended, id: 'nobody' })
  await expectRefused('TENANT_NOT_FOUND', 404, { ...suspended, tenantId: stranger.id })
})

test('only a Super Admin who signed in recently starts it, not a machine', async () => {
  const other = await newOperator(service)
  const member = await newMember(service)
  await service.ctx.db.updateTable('users').set({ is_super_admin: false }).where('id', '=', other.id).execute()
  await service.ctx.changes.waitUntilCurrent()
  await expectRefused('FORBIDDEN', 403, member, other)
  const machine = { ...other, tokens: { ...other.tokens, access_token: await machineToken(service.url, 'demo-ops') } }
  await expectRefused('FORBIDDEN', 403, member, machine)
  const old = await newOperator(service)
  const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000)
  await service.ctx.db.updateTable('sessions').set({ auth_time: twoHoursAgo }).where('user_id', '=', old.id).execute()
  await expectRefused('REAUTHENTICATION_REQUIRED', 403, member, old)
})

test('a tenant that requires a second factor requires that of the operator', async () => {
  const member = await newMember(service, {}, 'globex')
  await allowSupport(service, true, 'globex')
  const { db } = service.ctx
  await db.updateTable('tenants').set({ mfa_policy: 'REQUIRED' }).where('slug', '=', 'globex').execute()
  await expectRefused('MFA_REQUIRED', 403, member)
  await db.updateTable('tenants').set({ mfa_policy: 'OPTIONAL' }).where('slug', '=', 'globex').execute()
})

test.each([
  [{ reason: undefined }],
  [{ reason: 'too short' }],
  [{ reason: `${'  '.repeat(10)}x` }],
  [{ reason: 'x'.repeat(501) }],
  [{ reason: 'two lines\nof a reason' }],
  [{ minutes: 0 }],
  [{ minutes: 61 }],
  [{ minutes: 1.5 }],
])('a reason of 10 to 500 characters and at most an hour: %j', async (body) => {
  const member = await newMember(service)
  expect((await start(service, operator, member, body)).status).toBe(422)
})

test('the member and each owner get one mail, and the audit log of the tenant shows it', async () => {
  const by = await newOperator(service)
  const member = await newMember(service)
  const before = (await listMailTo(service, 'olivia@acme.test')).length
  const { id, endsAt } = await act(service, by, member, { minutes: 5 })
  const [mail, ...others] = await listMailTo(service, member.email)
  expect(others).toEqual([])
  expect(mail?.text).toContain(REASON)
  expect(mail?.text).toContain('Sam Operator')
  expect((await listMailTo(service, 'olivia@acme.test')).length).toBe(before + 1)
  expect((await listMailTo(service, 'adam@acme.test')).filter(({ text }) => text.includes(REASON))).toEqual([])
  const headers = { cookie: await signIn(service.url, 'adam@acme.test') }
  const path = `${service.url}/api/tenants/${member.tenantId}/audit?action=support_access&userId=${member.id}`
  const log = await call(path, { method: 'GET', headers })
  expect(log.body.entries).toMatchObject([
    {
      action: 'support_access.started',
      actor: { kind: 'user', id: by.id, displayName: 'Sam Operator' },
      userId: member.id,
      details: { sessionId: id, reason: REASON, endsAt },
    },
  ])
})

test('nobody acts as a member while no owner can be told by mail, unless the member is the owner', async () => {
  const { db } = service.ctx
  const member = await newMember(service)
  const confirm = (email_verified: boolean) =>
    db.updateTable('users').set({ email_verified }).where('email', '=', 'olivia@acme.test').execute()
  await confirm(false)
  try {
    await expectRefused('SUPPORT_ACCESS_REFUSED', 409, member)
    const ownerToo = await newOperator(service)
    await addMember(service, ownerToo.email, 'acme')
    await db.updateTable('memberships').set({ role: 'owner' }).where('user_id', '=', ownerToo.id).execute()
    await expectRefused('SUPPORT_ACCESS_REFUSED', 409, member, ownerToo)
    await db.deleteFrom('memberships').where('user_id', '=', ownerToo.id).execute()
    await db.updateTable('memberships').set({ role: 'owner' }).where('user_id', '=', member.id).execute()
    expect((await start(service, await newOperator(service), member)).status).toBe(201)
  } finally {
    await confirm(true)
    await db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', member.id).execute()
  }
})

test('the link works once, and only next to the session of the operator', async () => {
  const by = await newOperator(service)
  const { body } = await start(service, by, await newMember(service))
  const open = async (cookie: string) =>
    (await fetch(String(body.url), { headers: { cookie }, redirect: 'manual' })).status
  expect(await open('')).toBe(400)
  expect(await open((await newOperator(service)).cookie)).toBe(400)
  expect(await open(by.cookie)).toBe(303)
  expect(await open(by.cookie)).toBe(400)
})

test('the code of the link is not the secret of the cookie, and neither opens the session alone', async () => {
  const by = await newOperator(service)
  const { body } = await start(service, by, await newMember(service))
  const code = new URL(String(body.url)).searchParams.get('code')
  const isActing = async (cookie: string) =>
    (await (await fetch(`${service.url}/support-access`, { headers: { cookie } })).text()).includes('You act as Mara')
  expect(await isActing(`${by.cookie}; latchkey_support=${code}`)).toBe(false)
  const opened = await fetch(String(body.url), { headers: { cookie: by.cookie }, redirect: 'manual' })
  const secret = cookieOf(opened).split('=')[1]
  expect(await isActing(`${by.cookie}; latchkey_support=${secret}`)).toBe(true)
  for (const value of [code, secret]) expect(await isActing(`latchkey_session=${value}`)).toBe(false)
  // A version without support access looks for the secret of a cookie in this table only.
  const rows = await service.ctx.db.selectFrom('sessions').select('secret_hash').execute()
  const known = new Set(rows.map(({ secret_hash }) => secret_hash.toString('hex')))
  expect([code, secret].filter((text) => known.has(hashSecret(text ?? '').toString('hex')))).toEqual([])
})

test('of 20 starts at once, few succeed and one session is left', async () => {
  const by = await newOperator(service)
  const member = await newMember(service)
  const replies = await Promise.all(Array.from({ length: 20 }, () => start(service, by, member)))
  const statuses = replies.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(10).fill(429)])
  const left = await service.ctx.db.selectFrom('sessions').select('id').where('operator_id', '=', by.id).execute()
  expect(left).toHaveLength(1)
})

test('the member can end it without seeing it in the list, and the profile of the operator is unchanged', async () => {
  const by = await newOperator(service)
  const member = await newMember(service)
  await act(service, by, member)
  const headers = { cookie: await signIn(service.url, member.email) }
  const own = await call(`${service.url}/api/users/me/sessions`, { method: 'GET', headers })
  expect(own.body.sessions).toHaveLength(1)
  const page = await fetch(`${service.url}/account/sessions`, { headers })
  expect(await page.text()).toContain('End all others')
  expect(await statusOf(service.url, '/api/admin/users', by.tokens.access_token)).toBe(200)
  const { tenantId } = await findIds(service, 'olivia@acme.test', 'acme')
  expect(tenantId).toBe(member.tenantId)
})

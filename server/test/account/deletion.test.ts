import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { newId } from '../../src/lib/ids.ts'
import { toDateText } from '../../src/mail/texts/dates.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, introspect, PASSWORD, refresh, startDemoService, userinfo } from '../support/world.ts'
import {
  call,
  createSignedInUser,
  entriesOf,
  errorReply,
  findLinkToken,
  insertUser,
  listMailTo,
  logIn,
  type TestUser,
} from './people.ts'

const DAY = 86_400_000
let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'] } })
  url = service.url
})
afterAll(() => service.close())

const CONFIRMATION = 'DELETE MY ACCOUNT'
const requestDeletion = (somebody: TestUser, body: object = { password: PASSWORD, confirmation: CONFIRMATION }) =>
  somebody.call('DELETE', '/api/users/me', body)
const restore = (email: string, password = PASSWORD) =>
  call(`${url}/api/auth/restore`, { method: 'POST', body: { email, password } })
const erase = () => eraseDueAccounts.run(service.ctx, {})

const findPerson = (id: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

async function newTenant(owners: { id: string }[], members: { id: string }[] = []) {
  const id = newId()
  const now = service.ctx.now()
  const dates = { created_at: now, updated_at: now }
  const tenant = { id, slug: `tenant-${id}`, name: `Tenant ${id}` }
  await service.ctx.db
    .insertInto('tenants')
    .values({ ...tenant, ...dates })
    .execute()
  const all = [
    ...owners.map((owner) => ({ user_id: owner.id, role: 'owner' as const })),
    ...members.map((member) => ({ user_id: member.id, role: 'member' as const })),
  ]
  const common = { tenant_id: id, status: 'ACTIVE' as const, joined_at: now, ...dates }
  for (const member of all) {
    await service.ctx.db
      .insertInto('memberships')
      .values({ id: newId(), ...member, ...common })
      .execute()
  }
  return tenant
}

const membersOf = (tenantId: string) =>
  service.ctx.db.selectFrom('memberships').select(['user_id', 'role']).where('tenant_id', '=', tenantId).execute()

test('T114: the body, the confirmation, the password and ownership are checked in this order', async () => {
  const owner = await createSignedInUser(service)
  const tenants = [await newTenant([owner]), await newTenant([owner])]
  expect(await requestDeletion(owner, {})).toMatchObject({
    ...errorReply(422, 'VALIDATION_FAILED'),
    body: { details: [{ field: 'confirmation', message: 'is required' }] },
  })
  const unfit = errorReply(422, 'VALIDATION_FAILED')
  expect(await owner.call('DELETE', '/api/users/me')).toMatchObject(unfit)
  expect(await requestDeletion(owner, { confirmation: 'wrong', password: 7 })).toMatchObject(unfit)
  for (const confirmation of ['', 'delete my account', ' DELETE MY ACCOUNT', 'DELETE']) {
    expect(await requestDeletion(owner, { confirmation, password: 'wrong' })).toMatchObject(
      errorReply(400, 'INCORRECT_CONFIRMATION'),
    )
  }
  const wrong = errorReply(400, 'CURRENT_PASSWORD_INCORRECT')
  expect(await requestDeletion(owner, { confirmation: CONFIRMATION, password: 'wrong' })).toMatchObject(wrong)
  expect(await requestDeletion(owner, { confirmation: CONFIRMATION })).toMatchObject(wrong)
  const refused = await requestDeletion(owner)
  expect(refused).toMatchObject(errorReply(400, 'TENANT_OWNER'))
  const named = tenants.map(({ id, name, slug }) => ({ id, name, slug }))
  expect(refused.body.details).toEqual({ tenants: named })
  expect(await userinfo(url, owner.tokens.access_token)).toBe(200)
  expect(await findPerson(owner.id)).toMatchObject({ deletion_requested_at: null })
})

test('T114: sessions, tokens, links and memberships end immediately, and a mail states the day of erasure', async () => {
  const before = service.ctx.now()
  const [somebody, owner] = [await createSignedInUser(service), await insertUser(service)]
  const tenant = await newTenant([owner], [somebody])
  const elsewhere = await somebody.signInAgain()
  const newEmail = `new-${somebody.email}`
  await somebody.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
  const token = findLinkToken((await listMailTo(service, newEmail))[0])

  const { status, body } = await requestDeletion(somebody)
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, message: 'Account scheduled for deletion' })
  for (const { tokens, cookie } of [somebody, elsewhere]) {
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await introspect(url, tokens.access_token)).toEqual({ active: false })
    expect((await refresh(url, tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie } })).status).toBe(401)
  }
  expect(await call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })).toMatchObject(
    errorReply(400, 'INVALID_TOKEN'),
  )
  expect(await membersOf(tenant.id)).toEqual([{ user_id: owner.id, role: 'owner' }])

  const [notice] = await listMailTo(service, somebody.email)
  expect(notice?.subject).toBe('Your account will be deleted')
  const inAMonth = (from: Date) => toDateText(new Date(from.getTime() + 30 * DAY))
  // The date may have changed since.
  const days = [inAMonth(before), inAMonth(service.ctx.now())]
  expect(days.map((day) => `Erased on: ${day}`)).toContain(/^Erased on: .*/m.exec(notice?.text ?? '')?.[0])
  expect((await entriesOf(service, somebody.id)).at(-1)).toMatchObject({
    action: 'user.deletion_requested',
    actor_id: somebody.id,
  })
})

test('in a browser the cookie is cleared', async () => {
  const somebody = await createSignedInUser(service)
  const headers = { cookie: somebody.cookie, 'Sec-Fetch-Site': 'same-origin' }
  const body = { password: PASSWORD, confirmation: CONFIRMATION }
  const answer = await call(`${url}/api/users/me`, { method: 'DELETE', headers, body })
  expect(answer.status).toBe(200)
  expect(answer.headers.getSetCookie().join()).toMatch(/latchkey_session=; .*Max-Age=0/)
})

test('one of several owners can leave; a suspended or invited owner does not count', async () => {
  const [first, second, third] = [
    await createSignedInUser(service),
    await createSignedInUser(service),
    await insertUser(service),
  ]
  const tenant = await newTenant([first, second, third])
  await service.ctx.db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('user_id', '=', third.id).execute()
  expect((await requestDeletion(first)).status).toBe(200)
  expect(await requestDeletion(second)).toMatchObject(errorReply(400, 'TENANT_OWNER'))
  expect(await membersOf(tenant.id)).toHaveLength(2)
})

test('of the two last owners who leave concurrently, one stays', async () => {
  for (const _round of rounds(20)) {
    const owners = [await createSignedInUser(service), await createSignedInUser(service)]
    // Two tenants, to test that both requests lock them in the same order.
    const tenants = [await newTenant(owners), await newTenant(owners.toReversed())]
    const answers = await Promise.all(owners.map((owner) => requestDeletion(owner)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(errorReply(400, 'TENANT_OWNER'))
    for (const { id } of tenants) expect(await membersOf(id)).toHaveLength(1)
  }
})

test('two concurrent requests schedule one deletion', async () => {
  const somebody = await createSignedInUser(service)
  const answers = await Promise.all([requestDeletion(somebody), requestDeletion(somebody)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  const entries = await entriesOf(service, somebody.id)
  expect(entries.filter(({ action }) => action === 'user.deletion_requested')).toHaveLength(1)
})

test('during the grace period nobody signs in, the address stays taken, and no response reveals it', async () => {
  const somebody = await createSignedInUser(service)
  await requestDeletion(somebody)
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(403)
  expect((await logIn(url, somebody.email, 'wrong')).status).toBe(401)
  const body = { email: somebody.email, password: 'correct horse battery staple' }
  expect((await call(`${url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
  expect((await logIn(url, somebody.email, body.password)).status).toBe(401)
  const other = await createSignedInUser(service)
  const change = { newEmail: somebody.email, password: PASSWORD }
  expect((await other.call('POST', '/api/users/me/email', change)).status).toBe(200)
  expect((await listMailTo(service, somebody.email)).map(findLinkToken)).not.toContainEqual(expect.any(String))
})

test('a restored account has its memberships again, but none of its sessions', async () => {
  const [somebody, owner] = [await createSignedInUser(service), await insertUser(service)]
  const tenant = await newTenant([owner, somebody])
  await requestDeletion(somebody)
  expect((await restore(somebody.email, 'wrong')).status).toBe(401)
  const answer = await restore(somebody.email)
  expect(answer).toMatchObject({ status: 200, body: { user: { id: somebody.id } } })
  expect(await membersOf(tenant.id)).toHaveLength(2)
  expect(await userinfo(url, somebody.tokens.access_token)).toBe(401)
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(200)
  const mails = await listMailTo(service, somebody.email)
  expect(mails.map(({ subject }) => subject)).toContain('Your account was restored')
  const actions = (await entriesOf(service, somebody.id)).map(({ action }) => action)
  expect(actions.filter((action) => action === 'user.restored')).toHaveLength(1)
  await erase()
  expect(await findPerson(somebody.id)).toBeDefined()
})

test('a person without a password must have signed in within the last 15 minutes', async () => {
  const somebody = await createSignedInUser(service)
  const { db } = service.ctx
  const cookie = cookieOf(await logIn(service.url, somebody.email, PASSWORD))
  const headers = { cookie, origin: service.url }
  const askInBrowser = () =>
    call(`${service.url}/api/users/me`, { method: 'DELETE', body: { confirmation: CONFIRMATION }, headers })
  await db.updateTable('users').set({ password_hash: null }).where('id', '=', somebody.id).execute()
  const aged = async (minutes: number) => {
    const auth_time = new Date(service.ctx.now().getTime() - minutes * 60_000)
    await db.updateTable('sessions').set({ auth_time }).where('user_id', '=', somebody.id).execute()
  }
  await aged(16)
  expect(await askInBrowser()).toMatchObject(errorReply(403, 'REAUTHENTICATION_REQUIRED'))
  await aged(14)
  expect((await askInBrowser()).status).toBe(200)
})

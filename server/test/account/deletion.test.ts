import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { newId } from '../../src/lib/ids.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, introspect, PASSWORD, refresh, startWorld, userinfo } from '../support/world.ts'
import {
  addPerson,
  call,
  entriesOf,
  failure,
  logIn,
  mailTo,
  newSomebody,
  type Somebody,
  tokenIn,
} from './people.ts'

const DAY = 86_400_000
let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld({ config: { trustedProxies: ['127.0.0.1'] } })
  url = service.url
})
afterAll(() => service.close())

const CONFIRMATION = 'DELETE MY ACCOUNT'
const ask = (somebody: Somebody, body: object = { password: PASSWORD, confirmation: CONFIRMATION }) =>
  somebody.call('DELETE', '/api/users/me', body)
const restore = (email: string, password = PASSWORD) =>
  call(`${url}/api/auth/restore`, { method: 'POST', body: { email, password } })
const erase = () => erasePeople.run(service.ctx, {})

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
  service.ctx.db
    .selectFrom('memberships')
    .select(['user_id', 'role'])
    .where('tenant_id', '=', tenantId)
    .execute()

test('T114: the body, the confirmation, the password and ownership are checked in this order', async () => {
  const owner = await newSomebody(service)
  const tenants = [await newTenant([owner]), await newTenant([owner])]
  expect(await ask(owner, {})).toMatchObject({
    ...failure(422, 'VALIDATION_FAILED'),
    body: { details: [{ field: 'confirmation', message: 'is required' }] },
  })
  const unfit = failure(422, 'VALIDATION_FAILED')
  expect(await owner.call('DELETE', '/api/users/me')).toMatchObject(unfit)
  expect(await ask(owner, { confirmation: 'wrong', password: 7 })).toMatchObject(unfit)
  for (const confirmation of ['', 'delete my account', ' DELETE MY ACCOUNT', 'DELETE']) {
    expect(await ask(owner, { confirmation, password: 'wrong' })).toMatchObject(
      failure(400, 'INCORRECT_CONFIRMATION'),
    )
  }
  const wrong = failure(400, 'CURRENT_PASSWORD_INCORRECT')
  expect(await ask(owner, { confirmation: CONFIRMATION, password: 'wrong' })).toMatchObject(wrong)
  expect(await ask(owner, { confirmation: CONFIRMATION })).toMatchObject(wrong)
  const refused = await ask(owner)
  expect(refused).toMatchObject(failure(400, 'TENANT_OWNER'))
  const named = tenants.map(({ id, name, slug }) => ({ id, name, slug }))
  expect(refused.body.details).toEqual({ tenants: named })
  expect(await userinfo(url, owner.tokens.access_token)).toBe(200)
  expect(await findPerson(owner.id)).toMatchObject({ deletion_requested_at: null })
})

test('T114: sessions, tokens, links and memberships end at once, and a mail names the day of erasure', async () => {
  const before = service.ctx.now()
  const [somebody, owner] = [await newSomebody(service), await addPerson(service)]
  const tenant = await newTenant([owner], [somebody])
  const elsewhere = await somebody.signInElsewhere()
  const newEmail = `new-${somebody.email}`
  await somebody.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
  const token = tokenIn((await mailTo(service, newEmail))[0])

  const { status, body } = await ask(somebody)
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, message: 'Account scheduled for deletion' })
  for (const { tokens, cookie } of [somebody, elsewhere]) {
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await introspect(url, tokens.access_token)).toEqual({ active: false })
    expect((await refresh(url, tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie } })).status).toBe(401)
  }
  expect(await call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })).toMatchObject(
    failure(400, 'INVALID_TOKEN'),
  )
  expect(await membersOf(tenant.id)).toEqual([{ user_id: owner.id, role: 'owner' }])

  const [notice] = await mailTo(service, somebody.email)
  expect(notice?.subject).toBe('Your account will be deleted')
  const inAMonth = (from: Date) => new Date(from.getTime() + 30 * DAY).toISOString().slice(0, 10)
  // Midnight may have passed meanwhile.
  const days = [inAMonth(before), inAMonth(service.ctx.now())]
  expect(days.map((day) => `erased on ${day}`)).toContain(/erased on [\d-]+/.exec(notice?.text ?? '')?.[0])
  expect((await entriesOf(service, somebody.id)).at(-1)).toMatchObject({
    action: 'user.deletion_requested',
    actor_id: somebody.id,
  })
})

test('in a browser the cookie goes too', async () => {
  const somebody = await newSomebody(service)
  const headers = { cookie: somebody.cookie, 'Sec-Fetch-Site': 'same-origin' }
  const body = { password: PASSWORD, confirmation: CONFIRMATION }
  const answer = await call(`${url}/api/users/me`, { method: 'DELETE', headers, body })
  expect(answer.status).toBe(200)
  expect(answer.headers.getSetCookie().join()).toMatch(/latchkey_session=; .*Max-Age=0/)
})

test('one owner of several may go, a suspended or invited one does not make up for the last', async () => {
  const [first, second, third] = [
    await newSomebody(service),
    await newSomebody(service),
    await addPerson(service),
  ]
  const tenant = await newTenant([first, second, third])
  await service.ctx.db
    .updateTable('memberships')
    .set({ status: 'SUSPENDED' })
    .where('user_id', '=', third.id)
    .execute()
  expect((await ask(first)).status).toBe(200)
  expect(await ask(second)).toMatchObject(failure(400, 'TENANT_OWNER'))
  expect(await membersOf(tenant.id)).toHaveLength(2)
})

test('of two last owners who go at once one stays', async () => {
  for (const _round of rounds(20)) {
    const owners = [await newSomebody(service), await newSomebody(service)]
    // Two tenants, so that they are locked in the same order by both.
    const tenants = [await newTenant(owners), await newTenant(owners.toReversed())]
    const answers = await Promise.all(owners.map((owner) => ask(owner)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(failure(400, 'TENANT_OWNER'))
    for (const { id } of tenants) expect(await membersOf(id)).toHaveLength(1)
  }
})

test('asked for twice at once it happens once', async () => {
  const somebody = await newSomebody(service)
  const answers = await Promise.all([ask(somebody), ask(somebody)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  const entries = await entriesOf(service, somebody.id)
  expect(entries.filter(({ action }) => action === 'user.deletion_requested')).toHaveLength(1)
})

test('during the grace nobody signs in, the address stays taken, and nobody finds out', async () => {
  const somebody = await newSomebody(service)
  await ask(somebody)
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(403)
  expect((await logIn(url, somebody.email, 'wrong')).status).toBe(401)
  const body = { email: somebody.email, password: 'correct horse battery staple' }
  expect((await call(`${url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
  expect((await logIn(url, somebody.email, body.password)).status).toBe(401)
  const other = await newSomebody(service)
  const change = { newEmail: somebody.email, password: PASSWORD }
  expect((await other.call('POST', '/api/users/me/email', change)).status).toBe(200)
  expect((await mailTo(service, somebody.email)).map(tokenIn)).not.toContainEqual(expect.any(String))
})

test('who changes their mind finds their memberships again, but no session of before', async () => {
  const [somebody, owner] = [await newSomebody(service), await addPerson(service)]
  const tenant = await newTenant([owner, somebody])
  await ask(somebody)
  expect((await restore(somebody.email, 'wrong')).status).toBe(401)
  const answer = await restore(somebody.email)
  expect(answer).toMatchObject({ status: 200, body: { user: { id: somebody.id } } })
  expect(await membersOf(tenant.id)).toHaveLength(2)
  expect(await userinfo(url, somebody.tokens.access_token)).toBe(401)
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(200)
  const mails = await mailTo(service, somebody.email)
  expect(mails.map(({ subject }) => subject)).toContain('Your account was restored')
  const actions = (await entriesOf(service, somebody.id)).map(({ action }) => action)
  expect(actions.filter((action) => action === 'user.restored')).toHaveLength(1)
  await erase()
  expect(await findPerson(somebody.id)).toBeDefined()
})

test('a person without a password must have signed in within the last 15 minutes', async () => {
  const somebody = await newSomebody(service)
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
  expect(await askInBrowser()).toMatchObject(failure(403, 'REAUTHENTICATION_REQUIRED'))
  await aged(14)
  expect((await askInBrowser()).status).toBe(200)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  createSignedInUser,
  entriesOf,
  errorReply,
  findLinkToken,
  insertUser,
  listMailTo,
  logIn,
} from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, PASSWORD, startDemoService } from '../support/world.ts'
import { insertInvitation, insertTenant } from '../tenants/tenant-rows.ts'
import { callAsOps, newWord, USERS } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(async () => {
  await service?.close()
})

const newEmail = () => `${newWord()}@people.test`
const create = (body: object) => callAsOps(service, 'POST', '', body)
const statusOf = async (email: string, password: string) => (await logIn(service.url, email, password)).status

describe('an account is created', () => {
  test('without a password: a link to choose one is mailed, and the new password signs in', async () => {
    const email = newEmail()
    const names = { givenName: 'Ada', familyName: 'Byron' }
    const made = await create({ email: email.toUpperCase(), ...names })
    expect(made).toMatchObject({
      status: 201,
      body: {
        email,
        ...names,
        displayName: 'Ada Byron',
        emailVerified: true,
        hasPassword: false,
        superAdmin: false,
        disabled: false,
        passwordSignIn: true,
        memberships: [],
        sessionCount: 0,
      },
    })
    const [mail] = await listMailTo(service, email)
    expect(mail?.subject).toBe('An account was made for you')
    const reset = { token: findLinkToken(mail), newPassword: 'a first password of mine' }
    const done = await call(`${service.url}/api/auth/password/reset`, { method: 'POST', body: reset })
    expect(done.status).toBe(200)
    expect(await statusOf(email, reset.newPassword)).toBe(200)
  })

  test('whose link is valid after an hour, but not after a day', async () => {
    const [early, late] = [newEmail(), newEmail()]
    for (const email of [early, late]) expect((await create({ email })).status).toBe(201)
    const follow = async (email: string) => {
      const token = findLinkToken((await listMailTo(service, email))[0])
      const body = { token, newPassword: 'a first password of mine' }
      return (await call(`${service.url}/api/auth/password/reset`, { method: 'POST', body })).status
    }
    service.advance(20 * 3_600_000)
    expect(await follow(early)).toBe(200)
    service.advance(5 * 3_600_000)
    expect(await follow(late)).toBe(400)
  })

  test('with a password or an imported hash: it signs in, and nothing is mailed', async () => {
    const [email, other] = [newEmail(), newEmail()]
    expect(await create({ email, password: 'chosen by an admin' })).toMatchObject({
      status: 201,
      body: { hasPassword: true },
    })
    expect(await statusOf(email, 'chosen by an admin')).toBe(200)
    const { password_hash } = await service.ctx.db
      .selectFrom('users')
      .select('password_hash')
      .where('email', '=', 'mia@acme.test')
      .executeTakeFirstOrThrow()
    expect((await create({ email: other, passwordHash: password_hash })).status).toBe(201)
    expect(await statusOf(other, PASSWORD)).toBe(200)
    expect((await listMailTo(service, email)).filter(({ subject }) => subject.includes('account was made'))).toEqual([])
    expect((await listMailTo(service, other)).filter(({ subject }) => subject.includes('account was made'))).toEqual([])
  })

  test('and sendPasswordLink decides whether a link is mailed', async () => {
    const [silent, both] = [newEmail(), newEmail()]
    expect((await create({ email: silent, sendPasswordLink: false })).status).toBe(201)
    expect(await listMailTo(service, silent)).toEqual([])
    expect((await create({ email: both, password: 'chosen by an admin', sendPasswordLink: true })).status).toBe(201)
    expect(findLinkToken((await listMailTo(service, both))[0])).toBeDefined()
  })

  test('without password sign-in: no link is mailed', async () => {
    const email = newEmail()
    const made = await create({ email, passwordSignIn: false })
    expect(made).toMatchObject({ status: 201, body: { passwordSignIn: false, hasPassword: false } })
    expect(await listMailTo(service, email)).toEqual([])
  })

  test('of a Super Admin, who is notified and needs a long password', async () => {
    const email = newEmail()
    const short = await create({ email, superAdmin: true, password: 'only fourteen!' })
    expect(short).toMatchObject(errorReply(422, 'WEAK_PASSWORD'))
    expect(await create({ email, superAdmin: true })).toMatchObject({
      status: 201,
      body: { superAdmin: true },
    })
    expect((await listMailTo(service, email)).map(({ subject }) => subject).sort()).toEqual([
      'An account was made for you',
      'You are now a Super Admin',
    ])
  })

  test('for an invited person, who keeps the invitation', async () => {
    const email = newEmail()
    const company = await insertTenant(service)
    const placeholder = await insertUser(service, { email, password_hash: null, email_verified: false })
    await insertInvitation(service, company, { person: placeholder })
    expect(await create({ email, givenName: 'Ada' })).toMatchObject({
      status: 201,
      body: {
        id: placeholder.id,
        givenName: 'Ada',
        memberships: [{ tenantId: company.id, status: 'INVITED' }],
      },
    })
  })

  test('and audited with its creator, without secrets', async () => {
    const admin = await createSignedInUser(service, { is_super_admin: true })
    const email = newEmail()
    const made = await admin.call('POST', USERS, { email, password: 'chosen by an admin', givenName: 'Ada' })
    const [entry, ...others] = await entriesOf(service, String(made.body.id))
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      action: 'user.created',
      actor_kind: 'user',
      actor_id: admin.id,
      details: {
        after: { emailVerified: true, superAdmin: false, passwordSignIn: true, hasPassword: true },
      },
      personal: { email, givenName: 'Ada', familyName: null, displayName: null },
    })
    expect(JSON.stringify(entry)).not.toMatch(/chosen by|argon2/)
  })
})

describe('no account is created', () => {
  test.each([
    ['an unproven one', { email_verified: false }],
    ['a disabled one', { disabled: true }],
    ['a plain one', {}],
  ])('with the address of another account that is %s', async (_, traits) => {
    const { id, email } = await insertUser(service, traits)
    expect(await create({ email, givenName: 'Mallory' })).toMatchObject(errorReply(409, 'EMAIL_TAKEN'))
    expect((await callAsOps(service, 'GET', `/${id}`)).body).toMatchObject({ givenName: null })
    expect(await listMailTo(service, email)).toEqual([])
  })

  test.each([
    ['email', {}],
    ['email', { email: 'nowhere' }],
    ['givenName', { givenName: 'x'.repeat(101) }],
    ['familyName', { familyName: 'a\nb' }],
    ['displayName', { displayName: '   ' }],
    ['passwordHash', { passwordHash: 'md5 of something' }],
    ['passwordHash', { password: 'chosen by an admin', passwordHash: '$2b$10$abcdefghijklmnopqrstuv' }],
    ['emailVerified', { emailVerified: false }],
    ['superAdmin', { superAdmin: 'yes' }],
    ['superAdmin', { superAdmin: true, emailVerified: false, password: 'chosen by an admin' }],
    ['sendPasswordLink', { passwordSignIn: false, sendPasswordLink: true }],
  ])('with an invalid %s: %j', async (field, body) => {
    const email = newEmail()
    const answer = await create(field === 'email' ? body : { email, ...body })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      error: 'VALIDATION_FAILED',
      details: expect.arrayContaining([{ field, message: expect.any(String) }]),
    })
  })

  test('twice by concurrent requests, or by a repeated idempotency key', async () => {
    const email = newEmail()
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({ email })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const headers = {
      authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}`,
      'Idempotency-Key': newWord(),
    }
    const body = { email: newEmail(), password: 'chosen by an admin' }
    const ask = (more = {}) => call(service.url + USERS, { method: 'POST', headers, body: { ...body, ...more } })
    const [first, second] = [await ask(), await ask()]
    expect(second.body).toEqual(first.body)
    expect([first.status, second.status]).toEqual([201, 201])
    for (const other of [{ givenName: 'Ada' }, { password: 'another by an admin' }]) {
      expect((await ask(other)).body).toMatchObject({ error: 'IDEMPOTENCY_KEY_REUSED' })
    }
  })
})

test('an account with an unverified address can sign in, and its owner can verify the address', async () => {
  const email = newEmail()
  const made = await create({ email, emailVerified: false, password: 'chosen by an admin' })
  expect(made).toMatchObject({ status: 201, body: { emailVerified: false, hasPassword: true } })
  expect(await statusOf(email, 'chosen by an admin')).toBe(200)
})

test.each([
  ['new', false],
  ['known from an invitation', true],
])('an unverified address, %s, can be claimed by another person', async (_, invited) => {
  const email = newEmail()
  if (invited) await insertUser(service, { email, password_hash: null, email_verified: false })
  const { body } = await create({ email, emailVerified: false, password: 'chosen by an admin' })
  const { contested } = await service.ctx.db
    .selectFrom('users')
    .select('contested')
    .where('id', '=', String(body.id))
    .executeTakeFirstOrThrow()
  expect(contested).toBe(true)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { machineToken, PASSWORD, startWorld } from '../../support/world.ts'
import { inviteTo, newCompany } from '../../tenants/company.ts'
import { addPerson, call, entriesOf, failure, logIn, mailTo, newSomebody, tokenIn } from '../people.ts'
import { callAsOps, newWord, USERS } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(async () => {
  await service?.close()
})

const newEmail = () => `${newWord()}@people.test`
const create = (body: object) => callAsOps(service, 'POST', '', body)
const statusOf = async (email: string, password: string) => (await logIn(service.url, email, password)).status

describe('an account is made', () => {
  test('without a password: a link to choose one is mailed, and leads in', async () => {
    const email = newEmail()
    const names = { givenName: 'Ada', familyName: 'Byron' }
    const made = await create({ email: email.toUpperCase(), ...names })
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ email, ...names, displayName: 'Ada Byron', emailVerified: true, hasPassword: false },
        ...{ superAdmin: false, disabled: false, passwordSignIn: true, memberships: [], sessionCount: 0 },
      },
    })
    const [mail] = await mailTo(service, email)
    expect(mail?.subject).toBe('An account was made for you')
    const reset = { token: tokenIn(mail), newPassword: 'a first password of mine' }
    const done = await call(`${service.url}/api/auth/password/reset`, { method: 'POST', body: reset })
    expect(done.status).toBe(200)
    expect(await statusOf(email, reset.newPassword)).toBe(200)
  })

  test('whose link is still good after an hour, and not after a day', async () => {
    const [early, late] = [newEmail(), newEmail()]
    for (const email of [early, late]) expect((await create({ email })).status).toBe(201)
    const follow = async (email: string) => {
      const token = tokenIn((await mailTo(service, email))[0])
      const body = { token, newPassword: 'a first password of mine' }
      return (await call(`${service.url}/api/auth/password/reset`, { method: 'POST', body })).status
    }
    service.advance(20 * 3_600_000)
    expect(await follow(early)).toBe(200)
    service.advance(5 * 3_600_000)
    expect(await follow(late)).toBe(400)
  })

  test('with a password, or with what another system kept of one: it opens, and nothing is mailed', async () => {
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
    expect(
      (await mailTo(service, email)).filter(({ subject }) => subject.includes('account was made')),
    ).toEqual([])
    expect(
      (await mailTo(service, other)).filter(({ subject }) => subject.includes('account was made')),
    ).toEqual([])
  })

  test('and no link is mailed, or one is, when told so', async () => {
    const [silent, both] = [newEmail(), newEmail()]
    expect((await create({ email: silent, sendPasswordLink: false })).status).toBe(201)
    expect(await mailTo(service, silent)).toEqual([])
    expect(
      (await create({ email: both, password: 'chosen by an admin', sendPasswordLink: true })).status,
    ).toBe(201)
    expect(tokenIn((await mailTo(service, both))[0])).toBeDefined()
  })

  test('that no password opens: no link to choose one is mailed', async () => {
    const email = newEmail()
    const made = await create({ email, passwordSignIn: false })
    expect(made).toMatchObject({ status: 201, body: { passwordSignIn: false, hasPassword: false } })
    expect(await mailTo(service, email)).toEqual([])
  })

  test('of a Super Admin, who is told so and needs a long password', async () => {
    const email = newEmail()
    const short = await create({ email, superAdmin: true, password: 'only fourteen!' })
    expect(short).toMatchObject(failure(422, 'WEAK_PASSWORD'))
    expect(await create({ email, superAdmin: true })).toMatchObject({
      status: 201,
      body: { superAdmin: true },
    })
    expect((await mailTo(service, email)).map(({ subject }) => subject).sort()).toEqual([
      'An account was made for you',
      'You are now a Super Admin',
    ])
  })

  test('for somebody who was invited: they find what they were invited to', async () => {
    const email = newEmail()
    const company = await newCompany(service)
    const placeholder = await addPerson(service, { email, password_hash: null, email_verified: false })
    await inviteTo(service, company, { person: placeholder })
    expect(await create({ email, givenName: 'Ada' })).toMatchObject({
      status: 201,
      body: {
        id: placeholder.id,
        givenName: 'Ada',
        memberships: [{ tenantId: company.id, status: 'INVITED' }],
      },
    })
  })

  test('and written down: who made it, and nothing that is a secret', async () => {
    const boss = await newSomebody(service, { is_super_admin: true })
    const email = newEmail()
    const made = await boss.call('POST', USERS, { email, password: 'chosen by an admin', givenName: 'Ada' })
    const [entry, ...others] = await entriesOf(service, String(made.body.id))
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      ...{ action: 'user.created', actor_kind: 'user', actor_id: boss.id },
      details: {
        after: { emailVerified: true, superAdmin: false, passwordSignIn: true, hasPassword: true },
      },
      personal: { email, givenName: 'Ada', familyName: null, displayName: null },
    })
    expect(JSON.stringify(entry)).not.toMatch(/chosen by|argon2/)
  })
})

describe('no account is made', () => {
  test.each([
    ['an unproven one', { email_verified: false }],
    ['a disabled one', { disabled: true }],
    ['a plain one', {}],
  ])('with the address of another, be it %s', async (_, traits) => {
    const { id, email } = await addPerson(service, traits)
    expect(await create({ email, givenName: 'Mallory' })).toMatchObject(failure(409, 'EMAIL_TAKEN'))
    expect((await callAsOps(service, 'GET', `/${id}`)).body).toMatchObject({ givenName: null })
    expect(await mailTo(service, email)).toEqual([])
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
  ])('with a wrong %s: %j', async (field, body) => {
    const email = newEmail()
    const answer = await create(field === 'email' ? body : { email, ...body })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      error: 'VALIDATION_FAILED',
      details: expect.arrayContaining([{ field, message: expect.any(String) }]),
    })
  })

  test('twice by two who ask at once, nor by one who repeats the key of a request', async () => {
    const email = newEmail()
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({ email })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const headers = {
      authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}`,
      'Idempotency-Key': newWord(),
    }
    const body = { email: newEmail(), password: 'chosen by an admin' }
    const ask = (more = {}) =>
      call(service.url + USERS, { method: 'POST', headers, body: { ...body, ...more } })
    const [first, second] = [await ask(), await ask()]
    expect(second.body).toEqual(first.body)
    expect([first.status, second.status]).toEqual([201, 201])
    for (const other of [{ givenName: 'Ada' }, { password: 'another by an admin' }]) {
      expect((await ask(other)).body).toMatchObject({ error: 'IDEMPOTENCY_KEY_REUSED' })
    }
  })
})

test('an account with an unproven address is one, and its owner may prove it', async () => {
  const email = newEmail()
  const made = await create({ email, emailVerified: false, password: 'chosen by an admin' })
  expect(made).toMatchObject({ status: 201, body: { emailVerified: false, hasPassword: true } })
  expect(await statusOf(email, 'chosen by an admin')).toBe(200)
})

test.each([
  ['new', false],
  ['known from an invitation', true],
])('an unproven address, %s, is one that somebody else may claim', async (_, invited) => {
  const email = newEmail()
  if (invited) await addPerson(service, { email, password_hash: null, email_verified: false })
  const { body } = await create({ email, emailVerified: false, password: 'chosen by an admin' })
  const { contested } = await service.ctx.db
    .selectFrom('users')
    .select('contested')
    .where('id', '=', String(body.id))
    .executeTakeFirstOrThrow()
  expect(contested).toBe(true)
})

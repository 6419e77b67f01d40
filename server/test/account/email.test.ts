import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { cookieOf, PASSWORD, startWorld, userinfo } from '../support/world.ts'
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

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service.close())

const SENT = { success: true, message: 'Verification email sent to new address' }
const ask = (somebody: Somebody, newEmail: unknown, password: unknown = PASSWORD) =>
  somebody.call('POST', '/api/users/me/email', { newEmail, password })
const verify = (token: string | undefined) =>
  call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })
const invalidToken = failure(400, 'INVALID_TOKEN')

/** Asks for the address and returns the token that was mailed to it. */
async function askForToken(somebody: Somebody, newEmail: string): Promise<string> {
  expect((await ask(somebody, newEmail)).status).toBe(200)
  const token = tokenIn((await mailTo(service, newEmail))[0])
  if (token === undefined) throw new Error(`no link was mailed to ${newEmail}`)
  return token
}

const addressOf = async ({ id }: { id: string }) =>
  service.ctx.db
    .selectFrom('users')
    .select(['email', 'email_verified'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const countMails = async () => {
  const { count } = await service.ctx.db
    .selectFrom('mail_messages')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

test('T104: the address changes when the link mailed to it is followed, once, and the old one is told', async () => {
  const somebody = await newSomebody(service)
  const newEmail = `new-${somebody.email}`
  const { status, body } = await ask(somebody, newEmail.toUpperCase())
  expect(status).toBe(200)
  expect(body).toEqual(SENT)

  const [letter, ...others] = await mailTo(service, newEmail)
  expect(others).toEqual([])
  expect(letter?.text).toContain(`${url}/verify-email?token=`)
  const [warning, ...more] = await mailTo(service, somebody.email)
  expect(more).toEqual([])
  expect(warning?.subject).toBe('Your e-mail address is about to change')
  expect(warning?.text).toContain(newEmail)
  expect(tokenIn(warning)).toBeUndefined()
  expect(await addressOf(somebody)).toEqual({ email: somebody.email, email_verified: true })

  const token = tokenIn(letter)
  expect((await verify(token)).status).toBe(200)
  expect(await addressOf(somebody)).toEqual({ email: newEmail, email_verified: true })
  expect(await verify(token)).toMatchObject(invalidToken)
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(401)
  expect((await logIn(url, newEmail, PASSWORD)).status).toBe(200)
  expect(await userinfo(url, somebody.tokens.access_token)).toBe(200)

  const [notice] = await mailTo(service, somebody.email)
  expect(notice?.subject).toBe('Your e-mail address was changed')
  expect(notice?.text).toContain(newEmail)
})

test('the log tells who asked and what changed, and keeps the addresses where they can be forgotten', async () => {
  const somebody = await newSomebody(service)
  const newEmail = `new-${somebody.email}`
  await verify(await askForToken(somebody, newEmail))
  const entries = (await entriesOf(service, somebody.id)).filter(({ action }) => action.startsWith('user.'))
  expect(entries).toMatchObject([
    { action: 'user.email_change_requested', actor_id: somebody.id, details: {}, personal: { newEmail } },
    {
      action: 'user.email_changed',
      actor_id: somebody.id,
      details: {},
      personal: { before: somebody.email, after: newEmail, ipAddress: expect.any(String) },
    },
  ])
})

test('userinfo and the profile show the new address at once', async () => {
  const somebody = await newSomebody(service)
  const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
  const told = async () => (await call(`${url}/api/oauth/userinfo`, { method: 'GET', headers })).body
  expect(await told()).toMatchObject({ email: somebody.email })
  const newEmail = `new-${somebody.email}`
  await verify(await askForToken(somebody, newEmail))
  expect(await told()).toMatchObject({ email: newEmail, email_verified: true })
  expect((await somebody.call('GET', '/api/users/me')).body).toMatchObject({
    email: newEmail,
    emailVerified: true,
  })
})

test('T108: what is no single plain address is refused, and no mail goes anywhere', async () => {
  const somebody = await newSomebody(service)
  const before = await countMails()
  const unfit = [
    ['a@people.test', 'b@people.test'],
    { email: 'a@people.test' },
    null,
    '',
    'a@people.test,b@people.test',
    'a@people.test;b@people.test',
    'a@people.test b@people.test',
    'a@people.test\r\nBcc: b@people.test',
    'a@people.test\n',
    'a@people.test\0',
    'a\uff20people.test',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}.test`,
    `${'x'.repeat(2_000)}@people.test`,
    '"a b"@people.test',
    '"a@evil.test"@people.test',
    'Somebody <a@people.test>',
    'a(comment)@people.test',
    'a@people',
    'a@@people.test',
    'a@[127.0.0.1]',
  ]
  for (const newEmail of unfit) {
    const answer = await ask(somebody, newEmail)
    expect(answer, JSON.stringify(newEmail)).toMatchObject(failure(422, 'VALIDATION_FAILED'))
    expect(answer.body.details).toEqual([{ field: 'newEmail', message: expect.any(String) }])
  }
  expect(await countMails()).toBe(before)
})

test('a missing or unfit address comes before a wrong password, and that before everything else', async () => {
  const somebody = await newSomebody(service)
  expect(await somebody.call('POST', '/api/users/me/email', { password: 'wrong' })).toMatchObject({
    ...failure(422, 'VALIDATION_FAILED'),
    body: { details: [{ field: 'newEmail', message: 'is required' }] },
  })
  expect(await ask(somebody, 'no address', 'wrong')).toMatchObject(failure(422, 'VALIDATION_FAILED'))
  expect(await ask(somebody, somebody.email.toUpperCase(), 'wrong')).toMatchObject({
    ...failure(422, 'VALIDATION_FAILED'),
    body: { details: [{ field: 'newEmail', message: 'is your address already' }] },
  })
  const wrong = failure(400, 'CURRENT_PASSWORD_INCORRECT')
  expect(await ask(somebody, 'mia@acme.test', 'wrong')).toMatchObject(wrong)
  expect(await somebody.call('POST', '/api/users/me/email', { newEmail: 'x@people.test' })).toMatchObject(
    wrong,
  )
  expect(await mailTo(service, somebody.email)).toEqual([])
})

test('T106: an address that is taken gets the same answer, its owner a notice, and nobody a link', async () => {
  const [somebody, owner] = [await newSomebody(service), await addPerson(service)]
  const { status, body } = await ask(somebody, owner.email)
  expect({ status, body }).toEqual({ status: 200, body: SENT })
  const [notice, ...others] = await mailTo(service, owner.email)
  expect(others).toEqual([])
  expect(notice?.subject).toBe('Somebody gave your e-mail address for theirs')
  expect(notice?.text).not.toContain(somebody.email)
  expect(tokenIn(notice)).toBeUndefined()
  const [warning] = await mailTo(service, somebody.email)
  expect(warning?.subject).toBe('Your e-mail address is about to change')
  expect(tokenIn(warning)).toBeUndefined()
})

test('T106: a taken address costs the database the very same statements', async () => {
  const watch = await watchStatements(service)
  const statements = async (newEmail: string) => {
    const somebody = await newSomebody(service)
    await somebody.call('GET', '/api/users/me')
    return watch.list(async () => expect((await ask(somebody, newEmail)).status).toBe(200))
  }
  try {
    const owner = await addPerson(service)
    expect(await statements(owner.email)).toEqual(await statements('free@people.test'))
  } finally {
    await watch.close()
  }
})

test('T106: an address taken after the link was mailed is a conflict, and nothing changes', async () => {
  const somebody = await newSomebody(service)
  const newEmail = `new-${somebody.email}`
  const token = await askForToken(somebody, newEmail)
  await addPerson(service, { email: newEmail })
  expect(await verify(token)).toMatchObject(failure(409, 'EMAIL_TAKEN'))
  expect(await addressOf(somebody)).toEqual({ email: somebody.email, email_verified: true })
  expect(await mailTo(service, somebody.email)).toHaveLength(1)
})

test('T106: of two people who confirm one address at once exactly one gets it', async () => {
  const people = [await newSomebody(service), await newSomebody(service)]
  for (const round of rounds(20)) {
    const newEmail = `contested-${round}@people.test`
    const tokens: string[] = []
    for (const somebody of people) tokens.push(await askForToken(somebody, newEmail))
    const answers = await Promise.all(tokens.map(verify))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(failure(409, 'EMAIL_TAKEN'))
    const addresses = await Promise.all(people.map(async (somebody) => (await addressOf(somebody)).email))
    expect(addresses.filter((address) => address === newEmail)).toHaveLength(1)
  }
})

test('of one link followed many times at once exactly one counts', async () => {
  const somebody = await newSomebody(service)
  const token = await askForToken(somebody, `new-${somebody.email}`)
  const answers = await Promise.all(Array.from({ length: 10 }, () => verify(token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
})

test('a newer request voids the older link, also when both are made at once', async () => {
  const somebody = await newSomebody(service)
  const older = await askForToken(somebody, `older-${somebody.email}`)
  const newer = await askForToken(somebody, `newer-${somebody.email}`)
  expect(await verify(older)).toMatchObject(invalidToken)
  expect((await verify(newer)).status).toBe(200)

  const wanted = Array.from({ length: 8 }, (_, index) => `at-once-${index}-${somebody.email}`)
  const answers = await Promise.all(wanted.map((newEmail) => ask(somebody, newEmail)))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  const statuses: number[] = []
  for (const newEmail of wanted) {
    statuses.push((await verify(tokenIn((await mailTo(service, newEmail))[0]))).status)
  }
  expect(statuses.sort()).toEqual([200, ...Array(7).fill(400)])
})

test('asking, confirming and changing the password at once never fails', async () => {
  for (let round = 0; round < 10; round++) {
    const somebody = await newSomebody(service)
    const token = await askForToken(somebody, `new-${somebody.email}`)
    const answers = await Promise.all([
      verify(token),
      ask(somebody, `other-${somebody.email}`),
      somebody.call('POST', '/api/users/me/password', {
        currentPassword: PASSWORD,
        newPassword: `${PASSWORD}!`,
      }),
    ])
    expect(answers.filter(({ status }) => ![200, 400].includes(status))).toEqual([])
  }
})

test('nobody fills a mailbox by giving its address for theirs, and nobody is told', async () => {
  const somebody = await newSomebody(service)
  for (let count = 0; count < 7; count++) {
    expect((await ask(somebody, 'victim@people.test')).body).toEqual(SENT)
  }
  expect(await mailTo(service, 'victim@people.test')).toHaveLength(5)
})

test.each([
  ['disabled', { disabled: true }],
  ['about to be deleted', { deletion_requested_at: new Date() }],
])('the link of an account that is %s by now is not valid', async (_, change) => {
  const somebody = await newSomebody(service)
  const token = await askForToken(somebody, `new-${somebody.email}`)
  await service.ctx.db.updateTable('users').set(change).where('id', '=', somebody.id).execute()
  expect(await verify(token)).toMatchObject(invalidToken)
  expect(await addressOf(somebody)).toMatchObject({ email: somebody.email })
})

test('links that went to the address of before end with it', async () => {
  const body = { email: 'early@people.test', password: 'correct horse battery staple' }
  expect((await call(`${url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
  const first = tokenIn((await mailTo(service, body.email))[0])
  const { id } = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', body.email)
    .executeTakeFirstOrThrow()
  await service.ctx.db.updateTable('users').set({ email: 'late@people.test' }).where('id', '=', id).execute()
  expect(await verify(first)).toMatchObject(invalidToken)
})

test('the first confirmation of an address is written down too', async () => {
  const body = { email: 'first@people.test', password: 'correct horse battery staple' }
  await call(`${url}/api/auth/register`, { method: 'POST', body })
  expect((await verify(tokenIn((await mailTo(service, body.email))[0]))).status).toBe(200)
  const { id } = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', body.email)
    .where('email_verified', '=', true)
    .executeTakeFirstOrThrow()
  expect((await entriesOf(service, id)).map(({ action }) => action)).toContain('user.email_verified')
})

test('T110: what a person calls themselves stands in none of these mails', async () => {
  const display_name = '<a href="https://evil.test">Win</a>\r\nBcc: victim@people.test'
  const somebody = await newSomebody(service, { display_name, given_name: '<img src=x>' })
  await verify(await askForToken(somebody, `new-${somebody.email}`))
  const mails = [
    ...(await mailTo(service, somebody.email)),
    ...(await mailTo(service, `new-${somebody.email}`)),
  ]
  expect(mails).toHaveLength(3)
  for (const { subject, text, html } of mails) {
    expect(`${subject}${text}${html}`).not.toMatch(/evil\.test|img src|Bcc/)
  }
})

test('a person without a password must have signed in within the last 15 minutes', async () => {
  const somebody = await newSomebody(service)
  const { db } = service.ctx
  const cookie = cookieOf(await logIn(service.url, somebody.email, PASSWORD))
  const headers = { cookie, origin: service.url }
  await db.updateTable('users').set({ password_hash: null }).where('id', '=', somebody.id).execute()
  const body = { newEmail: `new-${somebody.email}` }
  const asking = () => call(`${service.url}/api/users/me/email`, { method: 'POST', body, headers })
  expect((await asking()).status).toBe(200)
  const auth_time = new Date(service.ctx.now().getTime() - 15 * 60_000 - 1_000)
  await db.updateTable('sessions').set({ auth_time }).where('user_id', '=', somebody.id).execute()
  expect(await asking()).toMatchObject(failure(403, 'REAUTHENTICATION_REQUIRED'))
})

test('a link is good for a day', async () => {
  const [somebody, late] = [await newSomebody(service), await newSomebody(service)]
  const [first, second] = [
    await askForToken(somebody, `new-${somebody.email}`),
    await askForToken(late, `new-${late.email}`),
  ]
  service.advance(86_400_000 - 60_000)
  expect((await verify(first)).status).toBe(200)
  service.advance(61_000)
  expect(await verify(second)).toMatchObject(invalidToken)
})

test('the mail of somebody who waits for an address outlives others who wanted it and were erased', async () => {
  const [leaving, staying] = [await newSomebody(service), await newSomebody(service)]
  const newEmail = `new-${staying.email}`
  await askForToken(leaving, newEmail)
  const token = await askForToken(staying, newEmail)
  const farewell = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await leaving.call('DELETE', '/api/users/me', farewell)).status).toBe(200)
  await service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: new Date(service.ctx.now().getTime() - 31 * 86_400_000) })
    .where('id', '=', leaving.id)
    .execute()
  await erasePeople.run(service.ctx, {})
  expect((await mailTo(service, newEmail)).map(tokenIn)).toContain(token)
  expect(await mailTo(service, leaving.email)).toEqual([])
  expect((await verify(token)).status).toBe(200)
})

test('a letter of another alphabet that becomes a Latin one when made small is no part of an address', async () => {
  const kira = await addPerson(service, { email: 'kira@people.test' })
  const kelvin = '\u212aira@people.test'
  expect(kelvin.toLowerCase()).toBe(kira.email)
  expect((await logIn(url, kelvin, PASSWORD)).status).toBe(401)
  expect((await logIn(url, 'Kira@people.test', PASSWORD)).status).toBe(200)
  const body = { email: kelvin, password: 'correct horse battery staple' }
  const refused = await call(`${url}/api/auth/register`, { method: 'POST', body })
  expect(refused).toMatchObject(failure(422, 'VALIDATION_FAILED'))
  expect(await ask(await newSomebody(service), kelvin)).toMatchObject(failure(422, 'VALIDATION_FAILED'))
  expect(await mailTo(service, kira.email)).toEqual([])
})

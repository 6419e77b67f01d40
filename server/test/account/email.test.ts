import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { cookieOf, PASSWORD, startDemoService, userinfo } from '../support/world.ts'
import { findAddress, requestChange, requestEmailToken, verifyEmail } from './email-calls.ts'
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

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const SENT_BODY = { success: true, message: 'Verification email sent to new address' }
const verify = (token: string | undefined) => verifyEmail(service, token)
const invalidToken = errorReply(400, 'INVALID_TOKEN')

const requestToken = (somebody: TestUser, newEmail: string) => requestEmailToken(service, somebody, newEmail)
const addressOf = (somebody: TestUser) => findAddress(service, somebody)

const countMails = async () => {
  const { count } = await service.ctx.db
    .selectFrom('mail_messages')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

test('T104: the address changes when the mailed link is followed, once, and the old address is notified', async () => {
  const somebody = await createSignedInUser(service)
  const newEmail = `new-${somebody.email}`
  const { status, body } = await requestChange(somebody, newEmail.toUpperCase())
  expect(status).toBe(200)
  expect(body).toEqual(SENT_BODY)

  const [letter, ...others] = await listMailTo(service, newEmail)
  expect(others).toEqual([])
  expect(letter?.text).toContain(`${url}/verify-email?token=`)
  const [warning, ...more] = await listMailTo(service, somebody.email)
  expect(more).toEqual([])
  expect(warning?.subject).toBe('Your email address is about to change')
  expect(warning?.text).toContain(newEmail)
  expect(findLinkToken(warning)).toBeUndefined()
  expect(await addressOf(somebody)).toEqual({ email: somebody.email, email_verified: true })

  const token = findLinkToken(letter)
  expect((await verify(token)).status).toBe(200)
  expect(await addressOf(somebody)).toEqual({ email: newEmail, email_verified: true })
  expect(await verify(token)).toMatchObject(invalidToken)
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(401)
  expect((await logIn(url, newEmail, PASSWORD)).status).toBe(200)
  expect(await userinfo(url, somebody.tokens.access_token)).toBe(200)

  const [notice] = await listMailTo(service, somebody.email)
  expect(notice?.subject).toBe('Your email address was changed')
  expect(notice?.text).toContain(newEmail)
})

test('the audit log records the request and the change, with the addresses as erasable personal data', async () => {
  const somebody = await createSignedInUser(service)
  const newEmail = `new-${somebody.email}`
  await verify(await requestToken(somebody, newEmail))
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

test('userinfo and the profile show the new address immediately', async () => {
  const somebody = await createSignedInUser(service)
  const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
  const told = async () => (await call(`${url}/api/oauth/userinfo`, { method: 'GET', headers })).body
  expect(await told()).toMatchObject({ email: somebody.email })
  const newEmail = `new-${somebody.email}`
  await verify(await requestToken(somebody, newEmail))
  expect(await told()).toMatchObject({ email: newEmail, email_verified: true })
  expect((await somebody.call('GET', '/api/users/me')).body).toMatchObject({
    email: newEmail,
    emailVerified: true,
  })
})

test('T108: anything but one plain address is refused, and no mail is sent', async () => {
  const somebody = await createSignedInUser(service)
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
    const answer = await requestChange(somebody, newEmail)
    expect(answer, JSON.stringify(newEmail)).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
    expect(answer.body.details).toEqual([{ field: 'newEmail', message: expect.any(String) }])
  }
  expect(await countMails()).toBe(before)
})

test('an invalid address is reported before a wrong password, and that before everything else', async () => {
  const somebody = await createSignedInUser(service)
  expect(await somebody.call('POST', '/api/users/me/email', { password: 'wrong' })).toMatchObject({
    ...errorReply(422, 'VALIDATION_FAILED'),
    body: { details: [{ field: 'newEmail', message: 'is required' }] },
  })
  expect(await requestChange(somebody, 'no address', 'wrong')).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
  expect(await requestChange(somebody, somebody.email.toUpperCase(), 'wrong')).toMatchObject({
    ...errorReply(422, 'VALIDATION_FAILED'),
    body: { details: [{ field: 'newEmail', message: 'is your address already' }] },
  })
  const wrong = errorReply(400, 'CURRENT_PASSWORD_INCORRECT')
  expect(await requestChange(somebody, 'mia@acme.test', 'wrong')).toMatchObject(wrong)
  expect(await somebody.call('POST', '/api/users/me/email', { newEmail: 'x@people.test' })).toMatchObject(wrong)
  expect(await listMailTo(service, somebody.email)).toEqual([])
})

test('T106: a taken address gets the same response, its owner gets a notice, and nobody gets a link', async () => {
  const [somebody, owner] = [await createSignedInUser(service), await insertUser(service)]
  const { status, body } = await requestChange(somebody, owner.email)
  expect({ status, body }).toEqual({ status: 200, body: SENT_BODY })
  const [notice, ...others] = await listMailTo(service, owner.email)
  expect(others).toEqual([])
  expect(notice?.subject).toBe('Somebody gave your email address for theirs')
  expect(notice?.text).not.toContain(somebody.email)
  expect(findLinkToken(notice)).toBeUndefined()
  const [warning] = await listMailTo(service, somebody.email)
  expect(warning?.subject).toBe('Your email address is about to change')
  expect(findLinkToken(warning)).toBeUndefined()
})

test('T106: a taken address causes exactly the same database statements', async () => {
  const watch = await watchStatements(service)
  const statements = async (newEmail: string) => {
    const somebody = await createSignedInUser(service)
    await somebody.call('GET', '/api/users/me')
    return watch.list(async () => expect((await requestChange(somebody, newEmail)).status).toBe(200))
  }
  try {
    const owner = await insertUser(service)
    expect(await statements(owner.email)).toEqual(await statements('free@people.test'))
  } finally {
    await watch.close()
  }
})

test('the mail quota of an address applies, and the response does not reveal it', async () => {
  const somebody = await createSignedInUser(service)
  for (let count = 0; count < 7; count++) {
    expect((await requestChange(somebody, 'victim@people.test')).body).toEqual(SENT_BODY)
  }
  expect(await listMailTo(service, 'victim@people.test')).toHaveLength(5)
})

test.each([
  ['disabled', { disabled: true }],
  ['about to be deleted', { deletion_requested_at: new Date() }],
])('the link of an account that is %s is invalid', async (_, change) => {
  const somebody = await createSignedInUser(service)
  const token = await requestToken(somebody, `new-${somebody.email}`)
  await service.ctx.db.updateTable('users').set(change).where('id', '=', somebody.id).execute()
  expect(await verify(token)).toMatchObject(invalidToken)
  expect(await addressOf(somebody)).toMatchObject({ email: somebody.email })
})

test('links mailed to the previous address become invalid with it', async () => {
  const body = { email: 'early@people.test', password: 'correct horse battery staple' }
  expect((await call(`${url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
  const first = findLinkToken((await listMailTo(service, body.email))[0])
  const { id } = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', body.email)
    .executeTakeFirstOrThrow()
  await service.ctx.db.updateTable('users').set({ email: 'late@people.test' }).where('id', '=', id).execute()
  expect(await verify(first)).toMatchObject(invalidToken)
})

test('the first verification of an address is audited, too', async () => {
  const body = { email: 'first@people.test', password: 'correct horse battery staple' }
  await call(`${url}/api/auth/register`, { method: 'POST', body })
  expect((await verify(findLinkToken((await listMailTo(service, body.email))[0]))).status).toBe(200)
  const { id } = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', body.email)
    .where('email_verified', '=', true)
    .executeTakeFirstOrThrow()
  expect((await entriesOf(service, id)).map(({ action }) => action)).toContain('user.email_verified')
})

test('T110: none of these mails contains the name of the person', async () => {
  const display_name = '<a href="https://evil.test">Win</a>\r\nBcc: victim@people.test'
  const somebody = await createSignedInUser(service, { display_name, given_name: '<img src=x>' })
  await verify(await requestToken(somebody, `new-${somebody.email}`))
  const mails = [
    ...(await listMailTo(service, somebody.email)),
    ...(await listMailTo(service, `new-${somebody.email}`)),
  ]
  expect(mails).toHaveLength(3)
  for (const { subject, text, html } of mails) {
    expect(`${subject}${text}${html}`).not.toMatch(/evil\.test|img src=x|Bcc/)
  }
})

test('a person without a password must have signed in within the last 15 minutes', async () => {
  const somebody = await createSignedInUser(service)
  const { db } = service.ctx
  const cookie = cookieOf(await logIn(service.url, somebody.email, PASSWORD))
  const headers = { cookie, origin: service.url }
  await db.updateTable('users').set({ password_hash: null }).where('id', '=', somebody.id).execute()
  const body = { newEmail: `new-${somebody.email}` }
  const asking = () => call(`${service.url}/api/users/me/email`, { method: 'POST', body, headers })
  expect((await asking()).status).toBe(200)
  const auth_time = new Date(service.ctx.now().getTime() - 15 * 60_000 - 1_000)
  await db.updateTable('sessions').set({ auth_time }).where('user_id', '=', somebody.id).execute()
  expect(await asking()).toMatchObject(errorReply(403, 'REAUTHENTICATION_REQUIRED'))
})

test('a link is valid for a day', async () => {
  const [somebody, late] = [await createSignedInUser(service), await createSignedInUser(service)]
  const [first, second] = [
    await requestToken(somebody, `new-${somebody.email}`),
    await requestToken(late, `new-${late.email}`),
  ]
  service.advance(86_400_000 - 60_000)
  expect((await verify(first)).status).toBe(200)
  service.advance(61_000)
  expect(await verify(second)).toMatchObject(invalidToken)
})

test('a non-Latin letter whose lower case is Latin is refused in an address', async () => {
  const kira = await insertUser(service, { email: 'kira@people.test' })
  const kelvin = '\u212aira@people.test'
  expect(kelvin.toLowerCase()).toBe(kira.email)
  expect((await logIn(url, kelvin, PASSWORD)).status).toBe(401)
  expect((await logIn(url, 'Kira@people.test', PASSWORD)).status).toBe(200)
  const body = { email: kelvin, password: 'correct horse battery staple' }
  const refused = await call(`${url}/api/auth/register`, { method: 'POST', body })
  expect(refused).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
  expect(await requestChange(await createSignedInUser(service), kelvin)).toMatchObject(
    errorReply(422, 'VALIDATION_FAILED'),
  )
  expect(await listMailTo(service, kira.email)).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, failure, logIn, mailTo, newSomebody, tokenIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, PASSWORD, startWorld, userinfo } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld({ worker: true })
  url = service.url
})
afterAll(() => service.close())

const NEW = 'a quite different password'

const forgot = (email: unknown) =>
  call(`${url}/api/auth/password/forgot`, { method: 'POST', body: { email } })
const reset = (token: string | undefined, newPassword: string = NEW) =>
  call(`${url}/api/auth/password/reset`, { method: 'POST', body: { token, newPassword } })

const resetMails = async (email: string) =>
  (await mailTo(service, email)).filter(({ subject }) => subject === 'Choose a new password')

/** Asks for a link and reads it from the mail. */
async function linkFor(email: string): Promise<string> {
  const before = (await resetMails(email)).length
  expect((await forgot(email)).status).toBe(200)
  const mails = await eventually(async () => {
    const found = await resetMails(email)
    return found.length > before ? found : undefined
  })
  return tokenIn(mails[0]) ?? ''
}

test('a link from the mailbox sets a new password, ends every session, and tells its person', async () => {
  const ann = await newSomebody(service)
  const token = await linkFor(ann.email)
  const done = await reset(token)
  expect(done).toMatchObject({ status: 200, body: { success: true, message: 'Password reset successfully' } })
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(401)
  expect((await logIn(url, ann.email, NEW)).status).toBe(200)
  expect(await userinfo(url, ann.tokens.access_token)).toBe(401)
  expect((await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie: ann.cookie } })).status).toBe(
    401,
  )
  expect((await mailTo(service, ann.email)).map(({ subject }) => subject)).toContain(
    'Your password was reset',
  )
  expect(done.headers.getSetCookie()).toEqual([])
})

test('known and unknown addresses get the same answer, and only the known a mail', async () => {
  const ann = await newSomebody(service)
  const [known, unknown] = [await forgot(ann.email.toUpperCase()), await forgot('nobody-at-all@people.test')]
  expect(unknown.status).toBe(200)
  expect(unknown.body).toEqual(known.body)
  const names = (headers: Headers) => [...headers.keys()].sort()
  expect(names(unknown.headers)).toEqual(names(known.headers))
  await eventually(async () => (await resetMails(ann.email))[0])
  expect(await resetMails('nobody-at-all@people.test')).toEqual([])
})

test('a link is good once, also when it is followed many times at once', async () => {
  const ann = await newSomebody(service)
  const token = await linkFor(ann.email)
  const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => reset(token, `${NEW} ${i}`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, body }).toMatchObject(failure(400, 'INVALID_TOKEN'))
  }
})

test('a weak password does not use the link up', async () => {
  const ann = await newSomebody(service)
  const token = await linkFor(ann.email)
  for (const weak of ['short', 'password1', ann.email]) {
    expect(await reset(token, weak)).toMatchObject(failure(422, 'WEAK_PASSWORD'))
  }
  expect((await reset(token)).status).toBe(200)
})

test('a newer link, an hour, a new password and a deletion each end a link', async () => {
  const [ann, ben, cleo] = [
    await newSomebody(service),
    await newSomebody(service),
    await newSomebody(service),
  ]
  const older = await linkFor(ann.email)
  const newer = await linkFor(ann.email)
  expect(await reset(older)).toMatchObject(failure(400, 'INVALID_TOKEN'))
  expect((await reset(newer)).status).toBe(200)
  const changed = await linkFor(ben.email)
  await ben.call('POST', '/api/users/me/password', { currentPassword: PASSWORD, newPassword: `${NEW}!` })
  expect(await reset(changed)).toMatchObject(failure(400, 'INVALID_TOKEN'))
  const deleted = await linkFor(cleo.email)
  const gone = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await cleo.call('DELETE', '/api/users/me', gone)).status).toBe(200)
  expect(await reset(deleted)).toMatchObject(failure(400, 'INVALID_TOKEN'))
  const old = await linkFor(ann.email)
  service.advance(61 * 60_000)
  expect(await reset(old)).toMatchObject(failure(400, 'INVALID_TOKEN'))
})

test('a link for one purpose is worth nothing for another', async () => {
  const ann = await newSomebody(service)
  const token = await linkFor(ann.email)
  const verify = await call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })
  expect(verify).toMatchObject(failure(400, 'INVALID_TOKEN'))
  expect((await reset(token)).status).toBe(200)
})

test('a reset leads past no second factor', async () => {
  const ann = await newSomebody(service)
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp')
  const code = totpCode(body.secret as string, service.ctx.now())
  await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
  expect((await reset(await linkFor(ann.email))).status).toBe(200)
  const response = await logIn(url, ann.email, NEW)
  expect(await response.json()).toMatchObject({ mfaRequired: true })
  expect(cookieOf(response)).not.toContain('latchkey_session')
})

test('whoever reads the mail of an address has it: a reset confirms it', async () => {
  const ann = await newSomebody(service, { email_verified: false })
  expect((await reset(await linkFor(ann.email))).status).toBe(200)
  expect(await (await logIn(url, ann.email, NEW)).json()).toMatchObject({ user: { emailVerified: true } })
})

test('nobody’s mailbox is filled by others', async () => {
  const ann = await newSomebody(service)
  for (let i = 0; i < 9; i++) expect((await forgot(ann.email)).status).toBe(200)
  await eventually(async () => ((await resetMails(ann.email)).length >= 5 ? true : undefined))
  // Whatever was taken down by then is worked off before this one.
  const ben = await newSomebody(service)
  await linkFor(ben.email)
  expect(await resetMails(ann.email)).toHaveLength(5)
})

test.each([
  ['a list', ['a@people.test', 'b@people.test']],
  ['two addresses', 'a@people.test,b@people.test'],
  ['a line break', 'a@people.test\r\nBcc: b@people.test'],
  ['a look-alike', 'a＠people.test'],
  ['nothing', ''],
])('%s is no address', async (_name, email) => {
  expect(await forgot(email)).toMatchObject(failure(422, 'VALIDATION_FAILED'))
})

test('a disabled account gets no link', async () => {
  const ann = await newSomebody(service)
  await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', ann.id).execute()
  expect((await forgot(ann.email)).status).toBe(200)
  const ben = await newSomebody(service)
  await linkFor(ben.email)
  expect(await resetMails(ann.email)).toEqual([])
})

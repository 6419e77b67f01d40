import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, errorReply, findLinkToken, listMailTo, logIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService, userinfo } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ worker: true })
  url = service.url
})
afterAll(() => service.close())

const NEW = 'a quite different password'

const forgot = (email: unknown) => call(`${url}/api/auth/password/forgot`, { method: 'POST', body: { email } })
const reset = (token: string | undefined, newPassword: string = NEW) =>
  call(`${url}/api/auth/password/reset`, { method: 'POST', body: { token, newPassword } })

const resetMails = async (email: string) =>
  (await listMailTo(service, email)).filter(({ subject }) => subject === 'Choose a new password')

async function linkFor(email: string): Promise<string> {
  const before = (await resetMails(email)).length
  expect((await forgot(email)).status).toBe(200)
  const mails = await eventually(async () => {
    const found = await resetMails(email)
    return found.length > before ? found : undefined
  })
  return findLinkToken(mails[0]) ?? ''
}

test('a reset link sets a new password, ends every session and notifies the user', async () => {
  const ann = await createSignedInUser(service)
  const token = await linkFor(ann.email)
  const done = await reset(token)
  expect(done).toMatchObject({ status: 200, body: { success: true, message: 'Password reset successfully' } })
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(401)
  expect((await logIn(url, ann.email, NEW)).status).toBe(200)
  expect(await userinfo(url, ann.tokens.access_token)).toBe(401)
  expect((await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie: ann.cookie } })).status).toBe(401)
  expect((await listMailTo(service, ann.email)).map(({ subject }) => subject)).toContain('Your password was reset')
  expect(done.headers.getSetCookie()).toEqual([])
})

test('a reset link works once, also in concurrent requests', async () => {
  const ann = await createSignedInUser(service)
  const token = await linkFor(ann.email)
  const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => reset(token, `${NEW} ${i}`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, body }).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  }
})

test('a newer link, one hour, a password change and a deletion each invalidate a reset link', async () => {
  const [ann, ben, cleo] = [
    await createSignedInUser(service),
    await createSignedInUser(service),
    await createSignedInUser(service),
  ]
  const older = await linkFor(ann.email)
  const newer = await linkFor(ann.email)
  expect(await reset(older)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  expect((await reset(newer)).status).toBe(200)
  const changed = await linkFor(ben.email)
  await ben.call('POST', '/api/users/me/password', { currentPassword: PASSWORD, newPassword: `${NEW}!` })
  expect(await reset(changed)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  const deleted = await linkFor(cleo.email)
  const gone = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await cleo.call('DELETE', '/api/users/me', gone)).status).toBe(200)
  expect(await reset(deleted)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  const old = await linkFor(ann.email)
  service.advance(61 * 60_000)
  expect(await reset(old)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
})

test('reset mails to one address are limited', async () => {
  const ann = await createSignedInUser(service)
  for (let i = 0; i < 9; i++) expect((await forgot(ann.email)).status).toBe(200)
  await eventually(async () => ((await resetMails(ann.email)).length >= 5 ? true : undefined))
  // Jobs run in order, so all earlier ones are done after this one.
  const ben = await createSignedInUser(service)
  await linkFor(ben.email)
  expect(await resetMails(ann.email)).toHaveLength(5)
})

test.each([
  ['a list', ['a@people.test', 'b@people.test']],
  ['two addresses', 'a@people.test,b@people.test'],
  ['a line break', 'a@people.test\r\nBcc: b@people.test'],
  ['a look-alike', 'a＠people.test'],
  ['nothing', ''],
])('%s is not a valid address', async (_name, email) => {
  expect(await forgot(email)).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
})

test('a disabled account gets no link', async () => {
  const ann = await createSignedInUser(service)
  await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', ann.id).execute()
  expect((await forgot(ann.email)).status).toBe(200)
  const ben = await createSignedInUser(service)
  await linkFor(ben.email)
  expect(await resetMails(ann.email)).toEqual([])
})

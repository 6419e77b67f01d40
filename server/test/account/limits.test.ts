import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { requestChange, verifyEmail } from './email-calls.ts'
import { enroll, PASSKEYS } from './passkey-calls.ts'
import { call, createSignedInUser, errorReply, findLinkToken, listMailTo, type TestUser } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const verify = (token: string | undefined) => verifyEmail(service, token)
const listRequestNotices = async ({ email }: TestUser) =>
  (await listMailTo(service, email)).filter(({ subject }) => subject === 'Your email address is about to change')

describe('requesting another address', () => {
  test('above the quota of the address sends nothing, and keeps the last link valid', async () => {
    const ann = await createSignedInUser(service)
    const newEmail = `new-${ann.email}`
    for (let count = 0; count < 5; count++) expect((await requestChange(ann, newEmail)).status).toBe(200)
    const [last] = await listMailTo(service, newEmail)
    expect((await requestChange(ann, newEmail)).status).toBe(200)
    expect(await listMailTo(service, newEmail)).toHaveLength(5)
    expect(await listRequestNotices(ann)).toHaveLength(5)
    expect((await verify(findLinkToken(last))).status).toBe(200)
    expect((await ann.call('GET', '/api/users/me')).body).toMatchObject({ email: newEmail })
  })

  test('does not use up the quota of another person who requests the same address', async () => {
    const [ann, ben] = [await createSignedInUser(service), await createSignedInUser(service)]
    const newEmail = `new-${ben.email}`
    for (let count = 0; count < 6; count++) await requestChange(ann, newEmail)
    expect((await requestChange(ben, newEmail)).status).toBe(200)
    const mails = await listMailTo(service, newEmail)
    expect(mails).toHaveLength(6)
    expect((await verify(findLinkToken(mails[0]))).status).toBe(200)
    expect((await ben.call('GET', '/api/users/me')).body).toMatchObject({ email: newEmail })
  })

  test('more than 20 times an hour is 429, for any addresses', async () => {
    const ann = await createSignedInUser(service)
    for (let count = 0; count < 20; count++) {
      expect((await requestChange(ann, `${count}-${ann.email}`)).status).toBe(200)
    }
    const refused = await requestChange(ann, `20-${ann.email}`)
    expect(refused).toMatchObject(errorReply(429, 'RATE_LIMITED'))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await listMailTo(service, `20-${ann.email}`)).toEqual([])
    expect((await requestChange(await createSignedInUser(service), `21-${ann.email}`)).status).toBe(200)
  })
})

test('an unverified address gets at most five notices an hour, a verified one gets all', async () => {
  const unconfirmed = await createSignedInUser(service, { email_verified: false })
  const confirmed = await createSignedInUser(service)
  for (const somebody of [unconfirmed, confirmed]) {
    for (let count = 0; count < 7; count++) {
      expect((await requestChange(somebody, `${count}-${somebody.email}`)).status).toBe(200)
    }
  }
  expect(await listMailTo(service, unconfirmed.email)).toHaveLength(5)
  expect(await listRequestNotices(confirmed)).toHaveLength(7)
})

describe('no name', () => {
  const unfit = [
    ['a line break', 'Ann\r\nBcc: x@evil.test'],
    ['a line feed', 'Ann\nEvil'],
    ['a line separator', 'Ann\u2028Evil'],
    ['a paragraph separator', 'Ann\u2029Evil'],
    ['an override of direction', 'Ann\u202elive'],
    ['an isolate', 'Ann\u2066live'],
    ['a right-to-left mark', 'Ann\u200flive'],
    ['an Arabic letter mark', 'Ann\u061clive'],
    ['a byte order mark', 'Ann\ufefflive'],
  ] as const
  let ann: TestUser
  beforeAll(async () => {
    ann = await createSignedInUser(service)
  })

  test.each(unfit)('with %s is accepted at sign-up', async (_, text) => {
    for (const field of ['givenName', 'familyName', 'displayName']) {
      const email = 'nameless@people.test'
      const body = { email, password: 'correct horse battery staple', [field]: text }
      const answer = await call(`${url}/api/auth/register`, { method: 'POST', body })
      expect(answer).toMatchObject({
        ...errorReply(422, 'VALIDATION_FAILED'),
        body: { details: [{ field, message: expect.any(String) }] },
      })
      expect(await listMailTo(service, email)).toEqual([])
    }
  })

  test.each(unfit)('with %s is accepted in a profile', async (_, text) => {
    for (const field of ['displayName', 'givenName', 'familyName', 'middleName', 'nickname']) {
      expect(await ann.call('PATCH', '/api/users/me', { [field]: text })).toMatchObject({
        ...errorReply(422, 'VALIDATION_FAILED'),
        body: { details: [{ field, message: expect.any(String) }] },
      })
    }
  })

  test.each(unfit)('with %s is accepted for a passkey', async (_, name) => {
    const answer = await enroll(ann, newAuthenticator(service.ctx.config.baseUrl), { name })
    expect(answer).toMatchObject({
      ...errorReply(422, 'VALIDATION_FAILED'),
      body: { details: [{ field: 'name', message: expect.any(String) }] },
    })
    expect((await ann.call('GET', PASSKEYS)).body).toEqual({ passkeys: [] })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { enrol, PASSKEYS } from './passkey-calls.ts'
import { call, failure, mailTo, newSomebody, type Somebody, tokenIn } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service.close())

const ask = (somebody: Somebody, newEmail: string) =>
  somebody.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
const verify = (token: string | undefined) =>
  call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })
const toldOfRequests = async ({ email }: Somebody) =>
  (await mailTo(service, email)).filter(({ subject }) => subject === 'Your e-mail address is about to change')

describe('asking for another address', () => {
  test('once too often for one address sends nothing, and leaves the link that was sent last good', async () => {
    const ann = await newSomebody(service)
    const newEmail = `new-${ann.email}`
    for (let count = 0; count < 5; count++) expect((await ask(ann, newEmail)).status).toBe(200)
    const [last] = await mailTo(service, newEmail)
    expect((await ask(ann, newEmail)).status).toBe(200)
    expect(await mailTo(service, newEmail)).toHaveLength(5)
    expect(await toldOfRequests(ann)).toHaveLength(5)
    expect((await verify(tokenIn(last))).status).toBe(200)
    expect((await ann.call('GET', '/api/users/me')).body).toMatchObject({ email: newEmail })
  })

  test('does not use up the mails of somebody else who asks for the same', async () => {
    const [ann, ben] = [await newSomebody(service), await newSomebody(service)]
    const newEmail = `new-${ben.email}`
    for (let count = 0; count < 6; count++) await ask(ann, newEmail)
    expect((await ask(ben, newEmail)).status).toBe(200)
    const mails = await mailTo(service, newEmail)
    expect(mails).toHaveLength(6)
    expect((await verify(tokenIn(mails[0]))).status).toBe(200)
    expect((await ben.call('GET', '/api/users/me')).body).toMatchObject({ email: newEmail })
  })

  test('more than 20 times an hour is 429, whatever the addresses', async () => {
    const ann = await newSomebody(service)
    for (let count = 0; count < 20; count++) {
      expect((await ask(ann, `${count}-${ann.email}`)).status).toBe(200)
    }
    const refused = await ask(ann, `20-${ann.email}`)
    expect(refused).toMatchObject(failure(429, 'RATE_LIMITED'))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await mailTo(service, `20-${ann.email}`)).toEqual([])
    expect((await ask(await newSomebody(service), `21-${ann.email}`)).status).toBe(200)
  })
})

test('an address that nobody has confirmed is told of at most five things an hour, a confirmed one of all', async () => {
  const unconfirmed = await newSomebody(service, { email_verified: false })
  const confirmed = await newSomebody(service)
  for (const somebody of [unconfirmed, confirmed]) {
    for (let count = 0; count < 7; count++) {
      expect((await ask(somebody, `${count}-${somebody.email}`)).status).toBe(200)
    }
  }
  expect(await mailTo(service, unconfirmed.email)).toHaveLength(5)
  expect(await toldOfRequests(confirmed)).toHaveLength(7)
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
  let ann: Somebody
  beforeAll(async () => {
    ann = await newSomebody(service)
  })

  test.each(unfit)('with %s is taken at sign-up', async (_, text) => {
    for (const field of ['givenName', 'familyName', 'displayName']) {
      const email = 'nameless@people.test'
      const body = { email, password: 'correct horse battery staple', [field]: text }
      const answer = await call(`${url}/api/auth/register`, { method: 'POST', body })
      expect(answer).toMatchObject({
        ...failure(422, 'VALIDATION_FAILED'),
        body: { details: [{ field, message: expect.any(String) }] },
      })
      expect(await mailTo(service, email)).toEqual([])
    }
  })

  test.each(unfit)('with %s is taken in a profile', async (_, text) => {
    for (const field of ['displayName', 'givenName', 'familyName', 'middleName', 'nickname']) {
      expect(await ann.call('PATCH', '/api/users/me', { [field]: text })).toMatchObject({
        ...failure(422, 'VALIDATION_FAILED'),
        body: { details: [{ field, message: expect.any(String) }] },
      })
    }
  })

  test.each(unfit)('with %s is taken for a passkey', async (_, name) => {
    const answer = await enrol(ann, newAuthenticator(service.ctx.config.baseUrl), { name })
    expect(answer).toMatchObject({
      ...failure(422, 'VALIDATION_FAILED'),
      body: { details: [{ field: 'name', message: expect.any(String) }] },
    })
    expect((await ann.call('GET', PASSKEYS)).body).toEqual({ passkeys: [] })
  })
})

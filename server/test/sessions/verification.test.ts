import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, errorReply, findLinkToken, listMailTo, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const PATH = '/api/users/me/email/verification'

const links = async (email: string) =>
  (await listMailTo(service, email))
    .filter(({ subject }) => subject === 'Confirm your email address')
    .map((mail) => findLinkToken(mail))

const verify = (token: string | undefined, password?: string) =>
  call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token, password } })

test('a new verification link replaces the previous one', async () => {
  const ann = await createSignedInUser(service, { email_verified: false })
  for (let i = 0; i < 2; i++) {
    const sent = await ann.call('POST', PATH)
    expect(sent.body).toEqual({ success: true, message: 'Verification email sent' })
  }
  const [newer, older] = await links(ann.email)
  expect(await verify(older)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  expect((await verify(newer)).status).toBe(200)
  expect((await ann.call('GET', '/api/users/me')).body).toMatchObject({ emailVerified: true })
  // A verified address gets no further link.
  await ann.call('POST', PATH)
  expect(await links(ann.email)).toHaveLength(2)
})

test('while an address is contested, each link works only with its own password', async () => {
  const ann = await createSignedInUser(service, { email_verified: false })
  const other = 'another password entirely'
  const body = { email: ann.email, password: other }
  expect((await call(`${url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
  const [theirs] = await links(ann.email)
  await ann.call('POST', PATH)
  const [own] = await links(ann.email)
  expect(await verify(own)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  expect(await verify(own, other)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
  expect((await verify(theirs, other)).status).toBe(200)
  expect((await logIn(url, ann.email, other)).status).toBe(200)
  expect(await verify(own)).toMatchObject(errorReply(400, 'INVALID_TOKEN'))
})

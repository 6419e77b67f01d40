import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, errorReply, listMailTo, logIn, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { addMember, PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const DAY = 86_400_000

async function leave(someone: TestUser): Promise<void> {
  const body = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await someone.call('DELETE', '/api/users/me', body)).status).toBe(200)
}

const restore = (email: string, password = PASSWORD) =>
  call(`${url}/api/auth/restore`, { method: 'POST', body: { email, password } })

test('restoring an account signs in, restores memberships and sends a mail', async () => {
  const ann = await createSignedInUser(service)
  await addMember(service, ann.email, 'acme')
  await leave(ann)
  expect(await restore(ann.email, 'wrong password')).toMatchObject(errorReply(401, 'INVALID_CREDENTIALS'))
  service.advance(29 * DAY)
  const restored = await restore(ann.email)
  expect(restored).toMatchObject({ status: 200, body: { user: { id: ann.id }, session: {} } })
  const cookie = restored.headers.getSetCookie().map((value) => value.split(';')[0])
  const me = await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie: cookie.join('; ') } })
  expect(me.body).toMatchObject({ memberships: [{ tenantSlug: 'acme', role: 'member', status: 'ACTIVE' }] })
  expect((await listMailTo(service, ann.email)).map(({ subject }) => subject)).toContain('Your account was restored')
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(200)
})

test('restoring an account does not bypass the second factor', async () => {
  const ann = await createSignedInUser(service)
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = body.secret as string
  const code = totpCode(secret, service.ctx.now())
  await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
  await leave(ann)
  const half = await restore(ann.email)
  expect(half.body).toMatchObject({ mfaRequired: true })
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(403)
  const cookie = half.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  service.advance(60_000)
  const answer = { method: 'POST', headers: { cookie }, body: { code: totpCode(secret, service.ctx.now()) } }
  expect(await call(`${url}/api/auth/mfa`, answer)).toMatchObject({
    status: 200,
    body: { user: { id: ann.id } },
  })
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(200)
})

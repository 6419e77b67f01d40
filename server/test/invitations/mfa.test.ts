import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorize, claimsOf, cookieOf, exchange, startDemoService } from '../support/world.ts'
import { type Host, NEW_USER } from './hosts.ts'
import { acceptInvitation, createHost } from './invitation-api.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createHost(service)
  const { tenant, user } = host
  const { status } = await user.call('PATCH', `/api/tenants/${tenant.id}`, { mfaPolicy: 'REQUIRED' })
  expect(status).toBe(200)
})
afterAll(() => service.close())

test('a new member of a tenant that requires a second factor gets a token only after enrolling one', async () => {
  const { email, token } = await host.invite()
  expect((await acceptInvitation(service, token, { body: NEW_USER })).status).toBe(200)
  const cookie = cookieOf(await logIn(service.url, email, NEW_USER.password))
  const tenant = host.tenant.slug
  const parameters: Record<string, string>[] = [{}, { tenant }]
  for (const query of parameters) {
    const { location, answer } = await authorize(service.url, cookie, query)
    expect(answer.code).toBeUndefined()
    expect(location).toMatch(/^\/mfa\/setup\?journey=/)
  }
  const silent = await authorize(service.url, cookie, { tenant, prompt: 'none' })
  expect(silent.answer).toMatchObject({ error: 'interaction_required' })

  const headers = { cookie, origin: service.url }
  const totp = `${service.url}/api/users/me/mfa/totp`
  const { body } = await call(totp, { method: 'POST', headers })
  const code = totpCode(String(body.secret), service.ctx.now())
  const enrolled = await call(`${totp}/verify`, { method: 'POST', body: { code }, headers })
  expect(enrolled.status).toBe(200)
  const [newCookie = ''] = enrolled.headers.getSetCookie().map((line) => line.split(';')[0])
  const { answer } = await authorize(service.url, newCookie, { tenant })
  const tokens = await exchange(service.url, answer.code)
  expect(claimsOf(tokens.body.access_token)).toMatchObject({ tenant_slug: tenant })
})

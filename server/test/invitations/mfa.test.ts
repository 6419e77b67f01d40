import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorize, claimsOf, cookieOf, exchange, startWorld } from '../support/world.ts'
import { accept, openHouse } from './desk.ts'
import { type Host, NEWCOMER } from './guests.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startWorld()
  host = await openHouse(service)
  const { tenant, somebody } = host
  const { status } = await somebody.call('PATCH', `/api/tenants/${tenant.id}`, { mfaPolicy: 'REQUIRED' })
  expect(status).toBe(200)
})
afterAll(() => service.close())

test('whoever has just joined a tenant that demands a second factor gets a token only once they have one', async () => {
  const { email, token } = await host.invite()
  expect((await accept(service, token, { body: NEWCOMER })).status).toBe(200)
  const cookie = cookieOf(await logIn(service.url, email, NEWCOMER.password))
  const tenant = host.tenant.slug
  const wishes: Record<string, string>[] = [{}, { tenant }]
  for (const wish of wishes) {
    const { location, answer } = await authorize(service.url, cookie, wish)
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
  const [shown = ''] = enrolled.headers.getSetCookie().map((line) => line.split(';')[0])
  const { answer } = await authorize(service.url, shown, { tenant })
  const tokens = await exchange(service.url, answer.code)
  expect(claimsOf(tokens.body.access_token)).toMatchObject({ tenant_slug: tenant })
})

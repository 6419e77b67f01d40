import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startService, type TestService } from '../support/service.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { createVisitor, type Stop } from './visitor.ts'

const MEGABYTE = 1024 * 1024

/** Endpoints with an endless response, by the name of a provider whose metadata is not cached. */
const ENDLESS = {
  metadata: '/.well-known/openid-configuration',
  token: '/token',
  keys: '/jwks',
  userinfo: '/userinfo',
}

let forger: FakeProvider
let service: TestService
let url: string
beforeAll(async () => {
  forger = await startFakeProvider()
  forger.metadata = { userinfo_endpoint: `${forger.issuer}/userinfo` }
  const client = {
    clientId: 'latchkey',
    clientSecret: 'secret',
    scopes: 'openid email',
    trustEmail: false,
    trustReauthentication: false,
  }
  const named = (name: string) => ({ ...client, name, label: 'Forger', issuer: forger.issuer })
  const names = ['forger', ...Object.keys(ENDLESS)].map((name) => name.toUpperCase())
  service = await startService({ config: { sso: names.map(named) } })
  url = service.url
})
afterAll(async () => {
  await service.close()
  await forger.stop()
})

/** Signs in through a provider as far as it gets. */
async function goThrough(provider: string): Promise<Stop> {
  const visitor = createVisitor([url])
  const stop = await visitor.go(`${url}/sso/${provider}`)
  if (stop.url.startsWith(url)) return stop
  const { state, nonce } = Object.fromEntries(new URL(stop.url).searchParams)
  forger.claims = { nonce, sub: 'somebody' }
  return visitor.go(`${url}/sso/${provider}/callback?code=c&state=${state}`)
}

test.each(Object.entries(ENDLESS))('a response of a provider is aborted after one megabyte: %s', async (name, path) => {
  forger.endless = path
  expect(await goThrough(name)).toMatchObject({
    status: 503,
    text: expect.stringContaining('Forger cannot be reached'),
  })
  // The connection is closed before the response ends.
  const { bytes } = await eventually(async () => (forger.stream.isOpen ? undefined : forger.stream))
  expect(bytes).toBeGreaterThanOrEqual(MEGABYTE)
  expect(bytes).toBeLessThan(20 * MEGABYTE)
})

test('a cross-site request to start a sign-in needs a click', async () => {
  forger.endless = undefined
  const path = '/sso/forger?journey=a&b="><script>'
  const attempts = () => service.ctx.db.selectFrom('sso_attempts').select('state_hash').execute()
  const before = await attempts()
  for (const site of ['cross-site', 'same-site']) {
    const response = await fetch(url + path, { headers: { 'Sec-Fetch-Site': site }, redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([200, null])
    const page = await response.text()
    expect(page).toContain('Continue with Forger')
    expect(page).toContain('href="/sso/forger?journey=a&amp;b=%22%3E%3Cscript%3E"')
  }
  expect(await attempts()).toEqual(before)
  // The choice of a language would open the page again, and that from this site.
  const plain = await fetch(`${url}/sso/forger`, { headers: { 'Sec-Fetch-Site': 'cross-site' }, redirect: 'manual' })
  expect(await plain.text()).not.toContain('action="/language"')
  // A link of this service, or a typed URL.
  for (const site of ['same-origin', 'none']) {
    const response = await fetch(url + path, { headers: { 'Sec-Fetch-Site': site }, redirect: 'manual' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toContain(`${forger.issuer}/authorize?`)
  }
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { authorize, cookieOf, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

const HOUR = 3_600_000
const isSignedIn = async (cookie: string) =>
  (await authorize(url, cookie, { prompt: 'none' })).answer.code !== undefined

test('signing in again keeps the session; another user gets a new one', async () => {
  const login = async (email: string, cookie: string) => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', cookie },
      body: JSON.stringify({ email, password: 'latchkey-demo-2026' }),
    })
    const { session } = (await response.json()) as { session: { id: string } }
    return { id: session.id, cookie: cookieOf(response) }
  }
  const first = await login('mia@acme.test', '')
  const again = await login('mia@acme.test', first.cookie)
  const max = await login('max@acme.test', again.cookie)
  expect(again.id).toBe(first.id)
  expect(max.id).not.toBe(first.id)
})

test('an old cookie secret is rotated, and the previous one is valid until the new one is used', async () => {
  const old = await signIn(url, 'mia@acme.test')
  service.advance(2 * HOUR)
  const { response } = await authorize(url, old, { prompt: 'none' })
  const fresh = cookieOf(response)
  expect(fresh).toMatch(/^latchkey_session=[\w-]{43}$/)
  expect(fresh).not.toBe(old)
  // The response may be lost, or other requests may be in flight.
  expect(await isSignedIn(old)).toBe(true)
  expect(await isSignedIn(fresh)).toBe(true)
  service.advance(61_000)
  expect([await isSignedIn(old), await isSignedIn(fresh)]).toEqual([false, true])
})

test('a cookie whose replacement was lost stays valid, and gets no second replacement', async () => {
  const old = await signIn(url, 'mia@acme.test')
  service.advance(2 * HOUR)
  const fresh = cookieOf((await authorize(url, old, { prompt: 'none' })).response)
  service.advance(2 * HOUR)
  const { response, answer } = await authorize(url, old, { prompt: 'none' })
  expect(answer.code).toBeDefined()
  expect(cookieOf(response)).toBe('')
  expect(await isSignedIn(fresh)).toBe(true)
  service.advance(61_000)
  expect(await isSignedIn(old)).toBe(false)
})

test('concurrent requests during a rotation keep the user signed in', async () => {
  const old = await signIn(url, 'mia@acme.test')
  service.advance(2 * HOUR)
  const answers = await Promise.all(Array.from({ length: 20 }, () => authorize(url, old, { prompt: 'none' })))
  expect(answers.every(({ answer }) => answer.code !== undefined)).toBe(true)
  const given = answers.map(({ response }) => cookieOf(response)).filter(Boolean)
  expect(given).toHaveLength(1)
  expect(await isSignedIn(given[0] ?? '')).toBe(true)
})

test('two cookies of the same name do not authenticate', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  expect(await isSignedIn(`${cookie}; latchkey_session=${'A'.repeat(43)}`)).toBe(false)
})

test('over https the cookie is Secure and bound to the host (T095)', async () => {
  const secure = await startDemoService({ config: { baseUrl: 'https://id.example.test' } })
  const response = await fetch(`${secure.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'mia@acme.test', password: 'latchkey-demo-2026' }),
  })
  const [cookie = ''] = response.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-latchkey_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
  expect(cookie).not.toMatch(/domain/i)
  await secure.close()
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepSsoAttempts } from '../../src/sso/sweep.ts'
import { startService } from '../support/service.ts'
import { startSilentServer } from './upstream.ts'
import { createVisitor, type Visitor } from './visitor.ts'
import { countAll, linksOf, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

const isCallback = (address: string) => address.includes('/callback?')
const AGAIN = 'Start again'

/** A browser that has signed in at the provider, and its callback URL. */
async function reachCallback(): Promise<{ browser: Visitor; callback: string }> {
  world.google.person = newUpstreamUser()
  const browser = world.visitor()
  const { url: callback } = await browser.go(`${url}/sso/google`, isCallback)
  return { browser, callback }
}

/** Opens a callback that must be refused. */
async function expectRefused(browser: Visitor, callback: string, says = AGAIN): Promise<void> {
  const before = await countAll(world)
  const stop = await browser.go(callback)
  expect(stop).toMatchObject({ status: 400, text: expect.stringContaining(says) })
  expect(stop.text).toContain('href="/login"')
  expect(await linksOf(world, browser)).toBeUndefined()
  expect(await countAll(world)).toEqual(before)
}

const changed = (callback: string, name: string, value: string | undefined) => {
  const address = new URL(callback)
  if (value === undefined) address.searchParams.delete(name)
  else address.searchParams.set(name, value)
  return address.href
}

test('a wrong, missing or repeated state is refused', async () => {
  const { browser, callback } = await reachCallback()
  await expectRefused(browser, changed(callback, 'state', 'A'.repeat(43)))
  await expectRefused(browser, changed(callback, 'state', undefined))
  await expectRefused(browser, `${callback}&state=${'A'.repeat(43)}`)
  await expectRefused(browser, `${url}/sso/google/callback`)
  // The correct state is still valid.
  await browser.go(callback)
  expect(await linksOf(world, browser)).toHaveLength(1)
})

test('a callback works once', async () => {
  const { browser, callback } = await reachCallback()
  await browser.go(callback)
  const stop = await browser.go(callback)
  expect(stop).toMatchObject({ status: 400, text: expect.stringContaining(AGAIN) })
  const stranger = world.visitor()
  await expectRefused(stranger, callback)
})

test('of concurrent identical callbacks one is accepted', async () => {
  const { browser, callback } = await reachCallback()
  const before = await countAll(world)
  const headers = { cookie: browser.cookiesFor(url) }
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(callback, { headers, redirect: 'manual' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400])
  expect((await countAll(world)).sessions).toBe(before.sessions + 1)
})

test('a callback in another browser is refused and uses up the attempt', async () => {
  const { browser, callback } = await reachCallback()
  await expectRefused(world.visitor(), callback)
  await expectRefused(browser, callback)
  const other = await reachCallback()
  const stranger = world.visitor()
  // Gets its own browser cookie.
  await stranger.go(`${url}/login`)
  await expectRefused(stranger, other.callback)
})

test('the callback of one provider is refused for another', async () => {
  const { browser, callback } = await reachCallback()
  await expectRefused(browser, callback.replace('/sso/google/', '/sso/okta/'))
})

test('a callback with a wrong or missing issuer is refused', async () => {
  for (const iss of [world.okta.settings.issuer, undefined]) {
    const { browser, callback } = await reachCallback()
    await expectRefused(browser, changed(callback, 'iss', iss), 'could not be confirmed')
  }
})

test('an invalid code and the code of another sign-in are refused', async () => {
  const { browser, callback } = await reachCallback()
  await expectRefused(browser, changed(callback, 'code', 'made-up'), 'could not be confirmed')
  const mine = await reachCallback()
  const theirs = await reachCallback()
  const code = new URL(theirs.callback).searchParams.get('code') ?? ''
  await expectRefused(mine.browser, changed(mine.callback, 'code', code), 'could not be confirmed')
})

test('a refusal is logged with its reason and without secrets', async () => {
  const { browser, callback } = await reachCallback()
  const before = world.service.logs.length
  await browser.go(changed(callback, 'iss', 'https://evil.example'))
  const lines = world.service.logs.slice(before)
  const line = lines.find(({ msg }) => msg === 'sign-in through a provider refused')
  expect(line).toMatchObject({ level: 30, provider: 'GOOGLE', code: 'INVALID_REQUEST' })
  const { code = '', state = '' } = Object.fromEntries(new URL(callback).searchParams)
  expect(JSON.stringify(lines)).not.toContain(code)
  expect(JSON.stringify(lines)).not.toContain(state)
  expect(JSON.stringify(lines)).not.toContain(world.google.settings.clientSecret)
})

test('the state of an attempt is not stored in plain text', async () => {
  const { callback } = await reachCallback()
  const rows = await world.service.ctx.db.selectFrom('sso_attempts').selectAll().execute()
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(new URL(callback).searchParams.get('state') ?? '')
})

test('an attempt expires after ten minutes and is deleted by the sweep', async () => {
  const { browser, callback } = await reachCallback()
  const late = await reachCallback()
  world.service.advance(9 * 60_000)
  await browser.go(callback)
  expect(await linksOf(world, browser)).toHaveLength(1)
  world.service.advance(2 * 60_000)
  await expectRefused(late.browser, late.callback)
  const { ctx } = world.service
  await reachCallback()
  await sweepSsoAttempts.run(ctx, {})
  const left = await ctx.db.selectFrom('sso_attempts').select('expires_at').execute()
  expect(left).toHaveLength(1)
})

test('a provider that is not configured is refused', async () => {
  for (const path of ['/sso/microsoft', '/sso/microsoft/callback?state=x', '/sso/%00', '/sso/..%2fgoogle']) {
    const response = await fetch(url + path)
    expect(response.status, path).toBeGreaterThanOrEqual(400)
    expect(response.status, path).toBeLessThan(500)
  }
})

test('an unreachable provider gets an error page, and is tried again by the next request', async () => {
  const { settings } = world.okta
  const silence = await startSilentServer()
  const silent = { ...settings, name: 'SILENT', label: 'Silent Co', issuer: silence.issuer }
  const service = await startService({ config: { sso: [settings, silent] } })
  await world.okta.stop()
  const visitor = createVisitor([service.url])
  const down = await visitor.go(`${service.url}/sso/okta`)
  expect(down).toMatchObject({ status: 503, text: expect.stringContaining('Acme Okta cannot be reached') })
  const response = await fetch(`${service.url}/sso/silent`)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('10')
  expect(await response.text()).toContain('Silent Co cannot be reached')
  await silence.stop()
  await world.okta.start(service.url)
  const up = await visitor.go(`${service.url}/sso/okta`)
  expect(up.url).toMatch(settings.issuer)
  await world.okta.stop()
  // The metadata is cached; the provider stops before the callback.
  const { url: address } = await visitor.go(`${service.url}/sso/okta`)
  const state = new URL(address).searchParams.get('state')
  const answer = `state=${state}&code=x&iss=${encodeURIComponent(settings.issuer)}`
  const back = await visitor.go(`${service.url}/sso/okta/callback?${answer}`)
  expect(back).toMatchObject({ status: 503, text: expect.stringContaining('Acme Okta cannot be reached') })
  await service.close()
  await world.okta.start(url)
})

test('a wrong client secret is logged and not shown to the user', async () => {
  const { settings } = world.google
  const wrong = { ...settings, clientSecret: 'wrong' }
  const service = await startService({ config: { sso: [wrong] } })
  await world.google.stop()
  await world.google.start(service.url)
  world.google.person = newUpstreamUser()
  const visitor = createVisitor([service.url, settings.issuer])
  const stop = await visitor.go(`${service.url}/sso/google`)
  expect(stop.status).toBe(503)
  const line = service.logs.find(({ msg }) => msg === 'sign-in provider failed')
  expect(line).toMatchObject({ level: 40, reason: expect.stringContaining('invalid_client') })
  await service.close()
  await world.google.stop()
  await world.google.start(url)
})

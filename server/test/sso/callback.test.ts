import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepSsoAttempts } from '../../src/sso/sweep.ts'
import { startService } from '../support/service.ts'
import { startSilence } from './upstream.ts'
import { createVisitor, type Visitor } from './visitor.ts'
import { countAll, linksOf, newPerson, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

const isCallback = (address: string) => address.includes('/callback?')
const AGAIN = 'Start again'

/** A browser that has been at the provider, and the address with which it is about to come back. */
async function halfway(): Promise<{ browser: Visitor; callback: string }> {
  world.google.person = newPerson()
  const browser = world.visitor()
  const { url: callback } = await browser.go(`${url}/sso/google`, isCallback)
  return { browser, callback }
}

/** Comes back to an address that must open nothing. */
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

test('a state that is wrong, absent or there twice opens nothing', async () => {
  const { browser, callback } = await halfway()
  await expectRefused(browser, changed(callback, 'state', 'A'.repeat(43)))
  await expectRefused(browser, changed(callback, 'state', undefined))
  await expectRefused(browser, `${callback}&state=${'A'.repeat(43)}`)
  await expectRefused(browser, `${url}/sso/google/callback`)
  // None of that has used the right one up.
  await browser.go(callback)
  expect(await linksOf(world, browser)).toHaveLength(1)
})

test('an answer is good once', async () => {
  const { browser, callback } = await halfway()
  await browser.go(callback)
  const stop = await browser.go(callback)
  expect(stop).toMatchObject({ status: 400, text: expect.stringContaining(AGAIN) })
  const stranger = world.visitor()
  await expectRefused(stranger, callback)
})

test('of the same answer sent many times at once one is taken', async () => {
  const { browser, callback } = await halfway()
  const before = await countAll(world)
  const headers = { cookie: browser.cookiesFor(url) }
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => fetch(callback, { headers, redirect: 'manual' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400])
  expect((await countAll(world)).sessions).toBe(before.sessions + 1)
})

test('an answer is worth nothing in another browser, and nothing after that', async () => {
  const { browser, callback } = await halfway()
  await expectRefused(world.visitor(), callback)
  await expectRefused(browser, callback)
  const other = await halfway()
  const stranger = world.visitor()
  // It has a name of its own.
  await stranger.go(`${url}/login`)
  await expectRefused(stranger, other.callback)
})

test('the answer of one provider is worth nothing as that of another', async () => {
  const { browser, callback } = await halfway()
  await expectRefused(browser, callback.replace('/sso/google/', '/sso/okta/'))
})

test('an answer that names another issuer, or none, is not believed', async () => {
  for (const iss of [world.okta.settings.issuer, undefined]) {
    const { browser, callback } = await halfway()
    await expectRefused(browser, changed(callback, 'iss', iss), 'could not be confirmed')
  }
})

test('a code that is made up, and one that was meant for another sign-in, are not believed', async () => {
  const { browser, callback } = await halfway()
  await expectRefused(browser, changed(callback, 'code', 'made-up'), 'could not be confirmed')
  const mine = await halfway()
  const theirs = await halfway()
  const code = new URL(theirs.callback).searchParams.get('code') ?? ''
  await expectRefused(mine.browser, changed(mine.callback, 'code', code), 'could not be confirmed')
})

test('a refusal is logged with its reason and without what opens anything', async () => {
  const { browser, callback } = await halfway()
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

test('nothing in the database opens an attempt', async () => {
  const { callback } = await halfway()
  const rows = await world.service.ctx.db.selectFrom('sso_attempts').selectAll().execute()
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(new URL(callback).searchParams.get('state') ?? '')
})

test('an attempt is good for ten minutes, then refused, and swept away in time', async () => {
  const { browser, callback } = await halfway()
  const late = await halfway()
  world.service.advance(9 * 60_000)
  await browser.go(callback)
  expect(await linksOf(world, browser)).toHaveLength(1)
  world.service.advance(2 * 60_000)
  await expectRefused(late.browser, late.callback)
  const { ctx } = world.service
  await halfway()
  await sweepSsoAttempts.run(ctx, {})
  const left = await ctx.db.selectFrom('sso_attempts').select('expires_at').execute()
  expect(left).toHaveLength(1)
})

test('a provider that nobody has set up is none', async () => {
  for (const path of ['/sso/microsoft', '/sso/microsoft/callback?state=x', '/sso/%00', '/sso/..%2fgoogle']) {
    const response = await fetch(url + path)
    expect(response.status, path).toBeGreaterThanOrEqual(400)
    expect(response.status, path).toBeLessThan(500)
  }
})

test('a provider that is down is named on a page, at once, and asked again by the next who comes', async () => {
  const { settings } = world.okta
  const silence = await startSilence()
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
  // Known by now: the provider goes away between the way there and the way back.
  const { url: address } = await visitor.go(`${service.url}/sso/okta`)
  const state = new URL(address).searchParams.get('state')
  const answer = `state=${state}&code=x&iss=${encodeURIComponent(settings.issuer)}`
  const back = await visitor.go(`${service.url}/sso/okta/callback?${answer}`)
  expect(back).toMatchObject({ status: 503, text: expect.stringContaining('Acme Okta cannot be reached') })
  await service.close()
  await world.okta.start(url)
})

test('a provider that does not know our secret is a matter for the log, not for the person', async () => {
  const { settings } = world.google
  const wrong = { ...settings, clientSecret: 'wrong' }
  const service = await startService({ config: { sso: [wrong] } })
  await world.google.stop()
  await world.google.start(service.url)
  world.google.person = newPerson()
  const visitor = createVisitor([service.url, settings.issuer])
  const stop = await visitor.go(`${service.url}/sso/google`)
  expect(stop.status).toBe(503)
  const line = service.logs.find(({ msg }) => msg === 'sign-in provider failed')
  expect(line).toMatchObject({ level: 40, reason: expect.stringContaining('invalid_client') })
  await service.close()
  await world.google.stop()
  await world.google.start(url)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUpstreamUser, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import { openTab } from './browser-tab.ts'
import { createNamedHost, type Host, JOINED, OPEN, outcomeOf, unusedAddress } from './hosts.ts'

let world: SsoWorld
let host: Host
beforeAll(async () => {
  world = await startSsoWorld()
  host = await createNamedHost(world.service, { tenantName: 'Harbour House' })
})
afterAll(() => world.close())

/** Opens the page in a new browser and continues with the provider; returns the last page. */
async function continueWithGoogle(path: string, person: ReturnType<typeof newUpstreamUser>) {
  world.google.person = person
  const browser = world.visitor()
  const { text } = await browser.go(world.url + path)
  const [, way = ''] = /href="([^"]*)">Continue with Google</.exec(text) ?? []
  expect(way).toMatch(/^\/sso\/google\?journey=/)
  const stop = await browser.go(world.url + way)
  return { stop, tab: openTab(world.url, browser.cookiesFor(world.url)) }
}

test('a new user returns from the provider with an account, and accepts with one button', async () => {
  const invited = await host.invite({ role: 'admin' })
  const { stop, tab } = await continueWithGoogle(invited.path, newUpstreamUser(invited.email))
  expect(new URL(stop.url).pathname).toBe(invited.path)
  expect(stop.trail.some((url) => url.includes(`login_hint=${encodeURIComponent(invited.email)}`))).toBe(true)
  expect(await outcomeOf(world.service, host, invited)).toMatchObject(OPEN)
  expect((await tab.open(invited.path)).text).toMatch(/ Accept$/)
  expect((await tab.submit()).text).toContain('You are now a member of Harbour House')
  expect(await outcomeOf(world.service, host, invited)).toMatchObject({ ...JOINED, role: 'admin' })
})

test('a return from the provider with another address accepts nothing', async () => {
  const invited = await host.invite()
  const stranger = newUpstreamUser(unusedAddress())
  const { stop, tab } = await continueWithGoogle(invited.path, stranger)
  expect(new URL(stop.url).pathname).toBe(invited.path)
  expect((await tab.open(invited.path)).text).toContain(`You are signed in with another address: ${stranger.email}.`)
  expect((await tab.submit({ choice: 'accept' })).status).toBe(403)
  expect(await outcomeOf(world.service, host, invited)).toMatchObject(OPEN)
})

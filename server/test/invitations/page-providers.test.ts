import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPerson, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import { type Host, JOINED, newHost, OPEN, outcomeOf, unusedAddress } from './guests.ts'
import { openTab } from './tab.ts'

let world: SsoWorld
let host: Host
beforeAll(async () => {
  world = await startSsoWorld()
  host = await newHost(world.service, { tenantName: 'Harbour House' })
})
afterAll(() => world.close())

/** Opens the page in a new browser and goes on with a provider; the answer is where that leads. */
async function continueWithGoogle(path: string, person: ReturnType<typeof newPerson>) {
  world.google.person = person
  const browser = world.visitor()
  const { text } = await browser.go(world.url + path)
  const [, way = ''] = /href="([^"]*)">Continue with Google</.exec(text) ?? []
  expect(way).toMatch(/^\/sso\/google\?journey=/)
  const stop = await browser.go(world.url + way)
  return { stop, tab: openTab(world.url, browser.cookiesFor(world.url)) }
}

test('who has no account comes back from the provider with one, and accepts with one button', async () => {
  const invited = await host.invite({ role: 'admin' })
  const { stop, tab } = await continueWithGoogle(invited.path, newPerson(invited.email))
  expect(new URL(stop.url).pathname).toBe(invited.path)
  expect(stop.trail.some((url) => url.includes(`login_hint=${encodeURIComponent(invited.email)}`))).toBe(true)
  expect(await outcomeOf(world.service, host, invited)).toMatchObject(OPEN)
  expect((await tab.open(invited.path)).text).toMatch(/ Accept$/)
  expect((await tab.press()).text).toContain('You are now a member of Harbour House')
  expect(await outcomeOf(world.service, host, invited)).toMatchObject({ ...JOINED, role: 'admin' })
})

test('who comes back from the provider as somebody else accepts nothing', async () => {
  const invited = await host.invite()
  const stranger = newPerson(unusedAddress())
  const { stop, tab } = await continueWithGoogle(invited.path, stranger)
  expect(new URL(stop.url).pathname).toBe(invited.path)
  expect((await tab.open(invited.path)).text).toContain(
    `You are signed in with another address: ${stranger.email}.`,
  )
  expect((await tab.press({ choice: 'accept' })).status).toBe(403)
  expect(await outcomeOf(world.service, host, invited)).toMatchObject(OPEN)
})

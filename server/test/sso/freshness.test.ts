import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PASSKEYS } from '../account/passkey-calls.ts'
import { authorizeUrl, claimsOf, exchange } from '../support/world.ts'
import type { Stop, Visitor } from './visitor.ts'
import { callAs, countAll, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

const HOUR = 3_600_000

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld({ tellsTime: true })
  url = world.url
})
afterAll(() => world.close())
beforeEach(() => {
  for (const provider of [world.google, world.okta]) {
    provider.person = newUpstreamUser()
    provider.signedInAt = undefined
  }
})

const isSignedIn = (at: string) => at.endsWith('/account')
const isAtProvider = (at: string) => !at.startsWith(url)

/** Adding a passkey requires a recent sign-in. */
const addPasskey = (browser: Visitor) =>
  callAs(world, browser, { method: 'POST', path: `${PASSKEYS}/options`, body: {} })

const STALE = { status: 403, body: { error: 'REAUTHENTICATION_REQUIRED' } }

/** A browser that has signed in through a provider, where the session stays active. */
async function visitorThrough(provider: 'google' | 'okta'): Promise<Visitor> {
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/${provider}`, isSignedIn)
  expect(stop.url).toBe(`${url}/account`)
  // A new sign-in at the provider would now fail.
  world[provider].person = undefined
  return browser
}

/** The authorization URL of the provider in a login of an application. */
async function startAtProvider(browser: Visitor, asked: Record<string, string>): Promise<URL> {
  const { url: login } = await browser.go(authorizeUrl(url, asked))
  const journey = new URL(login).searchParams.get('journey')
  const { url: address } = await browser.go(`${url}/sso/okta?journey=${journey}`, isAtProvider)
  return new URL(address)
}

/** The auth_time of the token, in seconds. */
async function authTimeIn({ url: address }: Stop): Promise<unknown> {
  const { body } = await exchange(url, new URL(address).searchParams.get('code') ?? undefined)
  return claimsOf(body.access_token).auth_time
}

describe('after a sign-in with an active session at a provider', () => {
  test('without auth_time, the existing session keeps its age', async () => {
    const browser = await visitorThrough('google')
    expect((await addPasskey(browser)).status).toBe(200)
    world.service.advance(3 * HOUR)
    expect(await addPasskey(browser)).toMatchObject(STALE)
    const stop = await browser.go(`${url}/sso/google`, isSignedIn)
    expect(stop.url).toBe(`${url}/account`)
    expect(await addPasskey(browser)).toMatchObject(STALE)
  })

  test('with auth_time, the session and its tokens have that auth_time', async () => {
    const signedInAt = new Date(world.service.ctx.now().getTime() - 2 * HOUR)
    world.okta.signedInAt = signedInAt
    const browser = await visitorThrough('okta')
    expect(await addPasskey(browser)).toMatchObject(STALE)
    const stop = await browser.go(authorizeUrl(url))
    expect(await authTimeIn(stop)).toBe(Math.floor(signedInAt.getTime() / 1000))
  })

  test('an auth_time in the future counts as now', async () => {
    const { ctx } = world.service
    world.okta.signedInAt = new Date(ctx.now().getTime() + 24 * HOUR)
    const browser = await visitorThrough('okta')
    const stop = await browser.go(authorizeUrl(url))
    expect(await authTimeIn(stop)).toBeLessThanOrEqual(ctx.now().getTime() / 1000)
  })
})

describe('when an application requires reauthentication', () => {
  const AGAIN = { prompt: 'login' }

  test('the provider is asked for reauthentication, which satisfies the application', async () => {
    const { okta, service } = world
    const person = okta.person
    const browser = await visitorThrough('okta')
    service.advance(HOUR)
    const asked = Math.floor(service.ctx.now().getTime() / 1000)
    const address = await startAtProvider(browser, AGAIN)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    okta.person = person
    // The clock of the provider is 30 seconds behind.
    okta.signedInAt = new Date(service.ctx.now().getTime() - 30_000)
    const stop = await browser.go(address.href)
    expect(stop.url).toContain('/callback?code=')
    expect(await authTimeIn(stop)).toBeGreaterThanOrEqual(asked)
  })

  test('an old auth_time is refused, also if the user removes the parameters', async () => {
    world.okta.signedInAt = new Date(world.service.ctx.now().getTime() - 2 * HOUR)
    const browser = await visitorThrough('okta')
    const address = await startAtProvider(browser, AGAIN)
    address.searchParams.delete('prompt')
    address.searchParams.set('max_age', '1000000')
    const before = await countAll(world)
    const stop = await browser.go(address.href)
    expect(stop).toMatchObject({ status: 400, text: expect.stringContaining('You did not sign in again') })
    expect(stop.text).toMatch(/href="\/login\?journey=[\w-]+"/)
    expect(await countAll(world)).toEqual(before)
    expect(await addPasskey(browser)).toMatchObject(STALE)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PASSKEYS } from '../account/passkey-calls.ts'
import { authorizeUrl, claimsOf, exchange } from '../support/world.ts'
import type { Stop, Visitor } from './visitor.ts'
import { callAs, countAll, newPerson, type SsoWorld, startSsoWorld } from './world.ts'

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
    provider.person = newPerson()
    provider.signedInAt = undefined
  }
})

const isArrived = (at: string) => at.endsWith('/account')
const isThere = (at: string) => !at.startsWith(url)

/** Whoever wants to add a passkey must have signed in lately. */
const addPasskey = (browser: Visitor) =>
  callAs(world, browser, { method: 'POST', path: `${PASSKEYS}/options`, body: {} })

const STALE = { status: 403, body: { error: 'REAUTHENTICATION_REQUIRED' } }

/** A browser in which somebody has come through a provider, at which they stay signed in. */
async function visitorThrough(provider: 'google' | 'okta'): Promise<Visitor> {
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/${provider}`, isArrived)
  expect(stop.url).toBe(`${url}/account`)
  // Whoever would have to sign in there again does not.
  world[provider].person = undefined
  return browser
}

/** The address of the provider for who is on the way to an application. */
async function wayThere(browser: Visitor, asked: Record<string, string>): Promise<URL> {
  const { url: login } = await browser.go(authorizeUrl(url, asked))
  const journey = new URL(login).searchParams.get('journey')
  const { url: address } = await browser.go(`${url}/sso/okta?journey=${journey}`, isThere)
  return new URL(address)
}

/** What the token says of when they signed in, in seconds. */
async function authTimeIn({ url: address }: Stop): Promise<unknown> {
  const { body } = await exchange(url, new URL(address).searchParams.get('code') ?? undefined)
  return claimsOf(body.access_token).auth_time
}

describe('who is waved through by a provider', () => {
  test('that does not say when they signed in there is as fresh as they were here', async () => {
    const browser = await visitorThrough('google')
    expect((await addPasskey(browser)).status).toBe(200)
    world.service.advance(3 * HOUR)
    expect(await addPasskey(browser)).toMatchObject(STALE)
    const stop = await browser.go(`${url}/sso/google`, isArrived)
    expect(stop.url).toBe(`${url}/account`)
    expect(await addPasskey(browser)).toMatchObject(STALE)
  })

  test('that says when they signed in there is as fresh as that, here and for applications', async () => {
    const signedInAt = new Date(world.service.ctx.now().getTime() - 2 * HOUR)
    world.okta.signedInAt = signedInAt
    const browser = await visitorThrough('okta')
    expect(await addPasskey(browser)).toMatchObject(STALE)
    const stop = await browser.go(authorizeUrl(url))
    expect(await authTimeIn(stop)).toBe(Math.floor(signedInAt.getTime() / 1000))
  })

  test('that says they will sign in tomorrow has signed in now', async () => {
    const { ctx } = world.service
    world.okta.signedInAt = new Date(ctx.now().getTime() + 24 * HOUR)
    const browser = await visitorThrough('okta')
    const stop = await browser.go(authorizeUrl(url))
    expect(await authTimeIn(stop)).toBeLessThanOrEqual(ctx.now().getTime() / 1000)
  })
})

describe('where an application demands a new sign-in', () => {
  const AGAIN = { prompt: 'login' }

  test('so do we of the provider, and who signs in there anew has', async () => {
    const { okta, service } = world
    const person = okta.person
    const browser = await visitorThrough('okta')
    service.advance(HOUR)
    const asked = Math.floor(service.ctx.now().getTime() / 1000)
    const address = await wayThere(browser, AGAIN)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    okta.person = person
    // Their clock is behind ours by half a minute.
    okta.signedInAt = new Date(service.ctx.now().getTime() - 30_000)
    const stop = await browser.go(address.href)
    expect(stop.url).toContain('/callback?code=')
    expect(await authTimeIn(stop)).toBeGreaterThanOrEqual(asked)
  })

  test('a sign-in there from before is refused, whatever the provider was asked on the way', async () => {
    world.okta.signedInAt = new Date(world.service.ctx.now().getTime() - 2 * HOUR)
    const browser = await visitorThrough('okta')
    const address = await wayThere(browser, AGAIN)
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

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import { totpCode } from '../support/totp.ts'
import { authorizeUrl, claimsOf, exchange, signIn } from '../support/world.ts'
import type { Stop, Visitor } from './visitor.ts'
import { callAs, countAll, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

// A provider without auth_time may have reused an old session, which does not satisfy prompt=login or max_age.

const REQUIREMENTS: [string, Record<string, string>][] = [
  ['prompt=login', { prompt: 'login' }],
  ['max_age=0', { max_age: '0' }],
  ['max_age=3600', { max_age: '3600' }],
]

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())
beforeEach(() => {
  world.google.person = newUpstreamUser()
  trustGoogle(false)
})

/** Like SSO_GOOGLE_TRUST_REAUTHENTICATION. */
function trustGoogle(trusted: boolean) {
  const settings: { trustReauthentication: boolean } = world.google.settings
  settings.trustReauthentication = trusted
}

const isAtProvider = (at: string) => !at.startsWith(url)
const isSignedIn = (at: string) => at.endsWith('/account')
const isLogin = ({ url: at }: Stop) => new URL(at).pathname === '/login'
const codeIn = ({ url: at }: Stop) => new URL(at).searchParams.get('code') ?? undefined

/** The authorization URL of the provider in a login of an application. */
async function startAtProvider(browser: Visitor, asked: Record<string, string>): Promise<URL> {
  const login = await browser.go(authorizeUrl(url, asked))
  expect(isLogin(login)).toBe(true)
  const journey = new URL(login.url).searchParams.get('journey')
  return new URL((await browser.go(`${url}/sso/google?journey=${journey}`, isAtProvider)).url)
}

/** The user removes our parameters, so that the provider sends no auth_time. */
function withoutTime(address: URL): string {
  for (const name of ['prompt', 'max_age']) address.searchParams.delete(name)
  return address.href
}

/** A browser that has signed in through the provider without an application. */
async function visitorThroughGoogle(): Promise<Visitor> {
  const browser = world.visitor()
  expect((await browser.go(`${url}/sso/google`, isSignedIn)).url).toBe(`${url}/account`)
  return browser
}

async function authTimeIn(stop: Stop): Promise<number> {
  const { body } = await exchange(url, codeIn(stop))
  return Number(claimsOf(body.id_token).auth_time)
}

describe.each(REQUIREMENTS)('T023: %s', (_, requirement) => {
  test('is not satisfied by a provider without auth_time, for a user without a session', async () => {
    const browser = world.visitor()
    const address = await startAtProvider(browser, requirement)
    const before = await countAll(world)
    const stop = await browser.go(withoutTime(address))
    expect(stop).toMatchObject({
      status: 400,
      text: expect.stringContaining('did not say when you signed in'),
    })
    expect(stop.text).toMatch(/href="\/login\?journey=[\w-]+"/)
    expect(await countAll(world)).toEqual(before)
  })

  test('is not satisfied by a provider without auth_time, for a user with a session', async () => {
    const browser = await visitorThroughGoogle()
    const stop = await browser.go(withoutTime(await startAtProvider(browser, requirement)))
    expect(stop).toMatchObject({
      status: 400,
      text: expect.stringContaining('did not say when you signed in'),
    })
  })

  test('is not satisfied by a separate sign-in without auth_time', async () => {
    const browser = world.visitor()
    const login = await browser.go(authorizeUrl(url, requirement))
    const journey = new URL(login.url).searchParams.get('journey')
    await browser.go(`${url}/sso/google`, isSignedIn)
    expect(isLogin(await browser.go(`${url}/oauth/authorize/continue?journey=${journey}`))).toBe(true)
  })

  test('is not satisfied by an earlier session without auth_time', async () => {
    const browser = await visitorThroughGoogle()
    expect(isLogin(await browser.go(authorizeUrl(url, requirement)))).toBe(true)
    // Without the requirement the session is sufficient.
    expect(codeIn(await browser.go(authorizeUrl(url)))).toBeDefined()
  })

  test('is satisfied by a provider with auth_time', async () => {
    const browser = world.visitor()
    const asked = Math.floor(world.service.ctx.now().getTime() / 1000)
    const stop = await browser.go((await startAtProvider(browser, requirement)).href)
    expect(await authTimeIn(stop)).toBeGreaterThanOrEqual(asked - 1)
  })

  test('is satisfied without auth_time by a provider that is trusted to reauthenticate', async () => {
    trustGoogle(true)
    const browser = await visitorThroughGoogle()
    const address = await startAtProvider(browser, requirement)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    const asked = Math.floor(world.service.ctx.now().getTime() / 1000)
    expect(await authTimeIn(await browser.go(withoutTime(address)))).toBeGreaterThanOrEqual(asked)
  })

  test('is satisfied by a password', async () => {
    const { email } = await insertUser(world.service)
    world.google.person = newUpstreamUser(email)
    const browser = await visitorThroughGoogle()
    const login = await browser.go(authorizeUrl(url, requirement))
    const journey = new URL(login.url).searchParams.get('journey')
    browser.take(url, await signIn(url, email, { cookie: browser.cookiesFor(url), origin: url }))
    expect(codeIn(await browser.go(`${url}/oauth/authorize/continue?journey=${journey}`))).toBeDefined()
  })
})

test('T023: a trusted provider is trusted only if it was asked for reauthentication', async () => {
  trustGoogle(true)
  const browser = await visitorThroughGoogle()
  expect(isLogin(await browser.go(authorizeUrl(url, { max_age: '3600' })))).toBe(true)
  const silent = await browser.go(authorizeUrl(url, { max_age: '3600', prompt: 'none' }))
  expect(new URL(silent.url).searchParams.get('error')).toBe('login_required')
})

test('T023: max_age is passed on to the provider', async () => {
  const { searchParams } = await startAtProvider(world.visitor(), { max_age: '3600' })
  expect(searchParams.get('max_age')).toBe('3600')
  expect(searchParams.has('prompt')).toBe(false)
})

test('T023: a later sign-in without auth_time keeps the auth_time of a password', async () => {
  const { email } = await insertUser(world.service)
  world.google.person = newUpstreamUser(email)
  const browser = await world.visitorAs(email)
  await browser.go(`${url}/sso/google`, isSignedIn)
  expect(codeIn(await browser.go(authorizeUrl(url, { max_age: '3600' })))).toBeDefined()
})

test('T023: a second factor does not replace the missing auth_time of the first', async () => {
  const { email } = await insertUser(world.service)
  const owner = await world.visitorAs(email)
  const path = '/api/users/me/mfa/totp'
  const { body } = await callAs(world, owner, { method: 'POST', path, body: {} })
  const code = () => totpCode(String(body.secret), world.service.ctx.now())
  const added = await callAs(world, owner, { method: 'POST', path: `${path}/verify`, body: { code: code() } })
  expect(added.status).toBe(200)

  world.google.person = newUpstreamUser(email)
  const browser = world.visitor()
  await browser.go(`${url}/sso/google`, (at) => at.endsWith('/mfa'))
  world.service.advance(60_000)
  const shown = await fetch(`${url}/api/auth/mfa`, {
    method: 'POST',
    headers: { cookie: browser.cookiesFor(url), 'Content-Type': 'application/json', origin: url },
    body: JSON.stringify({ code: code() }),
  })
  expect(shown.status).toBe(200)
  for (const cookie of shown.headers.getSetCookie()) browser.take(url, cookie.split(';')[0] ?? '')
  expect(codeIn(await browser.go(authorizeUrl(url)))).toBeDefined()
  expect(isLogin(await browser.go(authorizeUrl(url, { max_age: '3600' })))).toBe(true)
})

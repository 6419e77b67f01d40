import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPerson } from '../account/people.ts'
import { totpCode } from '../support/totp.ts'
import { authorizeUrl, claimsOf, exchange, signIn } from '../support/world.ts'
import type { Stop, Visitor } from './visitor.ts'
import { callAs, countAll, newPerson, type SsoWorld, startSsoWorld } from './world.ts'

// A provider that does not say when people signed in there may just have waved them through. What an application
// demands of a sign-in, with prompt=login or max_age, is not fulfilled by that.

const DEMANDS: [string, Record<string, string>][] = [
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
  world.google.person = newPerson()
  trustGoogle(false)
})

/** As the operator does with SSO_GOOGLE_TRUST_REAUTHENTICATION. */
function trustGoogle(trusted: boolean) {
  const settings: { trustReauthentication: boolean } = world.google.settings
  settings.trustReauthentication = trusted
}

const isThere = (at: string) => !at.startsWith(url)
const isArrived = (at: string) => at.endsWith('/account')
const isLogin = ({ url: at }: Stop) => new URL(at).pathname === '/login'
const codeIn = ({ url: at }: Stop) => new URL(at).searchParams.get('code') ?? undefined

/** The address of the provider for who is on the way to an application. */
async function wayThere(browser: Visitor, asked: Record<string, string>): Promise<URL> {
  const login = await browser.go(authorizeUrl(url, asked))
  expect(isLogin(login)).toBe(true)
  const journey = new URL(login.url).searchParams.get('journey')
  return new URL((await browser.go(`${url}/sso/google?journey=${journey}`, isThere)).url)
}

/** The provider is made to answer without auth_time: whoever sits at the browser strikes out what we ask of it. */
function withoutTime(address: URL): string {
  for (const name of ['prompt', 'max_age']) address.searchParams.delete(name)
  return address.href
}

/** A browser in which somebody has come through the provider, on the way to nothing in particular. */
async function visitorThroughGoogle(): Promise<Visitor> {
  const browser = world.visitor()
  expect((await browser.go(`${url}/sso/google`, isArrived)).url).toBe(`${url}/account`)
  return browser
}

async function authTimeIn(stop: Stop): Promise<number> {
  const { body } = await exchange(url, codeIn(stop))
  return Number(claimsOf(body.id_token).auth_time)
}

describe.each(DEMANDS)('T023: %s', (_, demand) => {
  test('is not fulfilled by a provider that does not say when, for somebody who is signed in nowhere here', async () => {
    const browser = world.visitor()
    const address = await wayThere(browser, demand)
    const before = await countAll(world)
    const stop = await browser.go(withoutTime(address))
    expect(stop).toMatchObject({
      status: 400,
      text: expect.stringContaining('did not say when you signed in'),
    })
    expect(stop.text).toMatch(/href="\/login\?journey=[\w-]+"/)
    expect(await countAll(world)).toEqual(before)
  })

  test('is not fulfilled so for somebody who is signed in here either', async () => {
    const browser = await visitorThroughGoogle()
    const stop = await browser.go(withoutTime(await wayThere(browser, demand)))
    expect(stop).toMatchObject({
      status: 400,
      text: expect.stringContaining('did not say when you signed in'),
    })
  })

  test('is not fulfilled by a sign-in beside the way to the application', async () => {
    const browser = world.visitor()
    const login = await browser.go(authorizeUrl(url, demand))
    const journey = new URL(login.url).searchParams.get('journey')
    await browser.go(`${url}/sso/google`, isArrived)
    expect(isLogin(await browser.go(`${url}/oauth/authorize/continue?journey=${journey}`))).toBe(true)
  })

  test('is not fulfilled by a session that began so before', async () => {
    const browser = await visitorThroughGoogle()
    expect(isLogin(await browser.go(authorizeUrl(url, demand)))).toBe(true)
    // Who demands nothing gets a code, as ever.
    expect(codeIn(await browser.go(authorizeUrl(url)))).toBeDefined()
  })

  test('is fulfilled by a provider that says when, as it must when it is asked', async () => {
    const browser = world.visitor()
    const asked = Math.floor(world.service.ctx.now().getTime() / 1000)
    const stop = await browser.go((await wayThere(browser, demand)).href)
    expect(await authTimeIn(stop)).toBeGreaterThanOrEqual(asked - 1)
  })

  test('is fulfilled without it by a provider that the operator trusts to ask again', async () => {
    trustGoogle(true)
    const browser = await visitorThroughGoogle()
    const address = await wayThere(browser, demand)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    const asked = Math.floor(world.service.ctx.now().getTime() / 1000)
    expect(await authTimeIn(await browser.go(withoutTime(address)))).toBeGreaterThanOrEqual(asked)
  })

  test('is fulfilled by a password', async () => {
    const { email } = await addPerson(world.service)
    world.google.person = newPerson(email)
    const browser = await visitorThroughGoogle()
    const login = await browser.go(authorizeUrl(url, demand))
    const journey = new URL(login.url).searchParams.get('journey')
    browser.take(url, await signIn(url, email, { cookie: browser.cookiesFor(url), origin: url }))
    expect(codeIn(await browser.go(`${url}/oauth/authorize/continue?journey=${journey}`))).toBeDefined()
  })
})

test('T023: a trusted provider is believed only where it was asked', async () => {
  trustGoogle(true)
  const browser = await visitorThroughGoogle()
  expect(isLogin(await browser.go(authorizeUrl(url, { max_age: '3600' })))).toBe(true)
  const silent = await browser.go(authorizeUrl(url, { max_age: '3600', prompt: 'none' }))
  expect(new URL(silent.url).searchParams.get('error')).toBe('login_required')
})

test('T023: the age that is asked for is passed on to the provider', async () => {
  const { searchParams } = await wayThere(world.visitor(), { max_age: '3600' })
  expect(searchParams.get('max_age')).toBe('3600')
  expect(searchParams.has('prompt')).toBe(false)
})

test('T023: a password stays as fresh as it was when somebody is waved through afterwards', async () => {
  const { email } = await addPerson(world.service)
  world.google.person = newPerson(email)
  const browser = await world.visitorAs(email)
  await browser.go(`${url}/sso/google`, isArrived)
  expect(codeIn(await browser.go(authorizeUrl(url, { max_age: '3600' })))).toBeDefined()
})

test('T023: a second factor does not tell when the first was shown', async () => {
  const { email } = await addPerson(world.service)
  const owner = await world.visitorAs(email)
  const path = '/api/users/me/mfa/totp'
  const { body } = await callAs(world, owner, { method: 'POST', path, body: {} })
  const code = () => totpCode(String(body.secret), world.service.ctx.now())
  const added = await callAs(world, owner, { method: 'POST', path: `${path}/verify`, body: { code: code() } })
  expect(added.status).toBe(200)

  world.google.person = newPerson(email)
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

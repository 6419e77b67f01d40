import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALLBACK, obtainTokens, PASSWORD } from '../support/world.ts'
import { link, linkThrough, newUser } from './link-calls.ts'
import type { Visitor } from './visitor.ts'
import { countAll, linksOf, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

test('a signed-in user links a provider account with any address, and can sign in with it', async () => {
  const { browser, userId } = await newUser(world, 'linda')
  expect(await linksOf(world, browser)).toEqual([])
  const { status, body } = await link(world, browser, { provider: 'google' })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['url'])
  const address = new URL(String(body.url))
  expect(address.origin).toBe(world.google.settings.issuer)
  for (const name of ['state', 'nonce', 'code_challenge']) expect(address.searchParams.get(name)).toBeTruthy()
  world.google.person = { sub: 'linda-there', email: 'other@example.com', email_verified: false, name: 'L' }
  const stop = await browser.go(address.href, (at) => at.endsWith('/account'))
  expect(stop.url).toBe(`${url}/account`)
  expect(await linksOf(world, browser)).toMatchObject([
    { provider: 'GOOGLE', email: 'other@example.com', displayName: 'L', avatarUrl: null },
  ])
  const entry = await world.service.ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('user_id', '=', userId)
    .where('action', '=', 'user.sso_linked')
    .executeTakeFirst()
  expect(entry).toMatchObject({ actor_id: userId, details: { provider: 'GOOGLE' } })
  const elsewhere = world.visitor()
  await elsewhere.go(`${url}/sso/google`)
  expect(await linksOf(world, elsewhere)).toHaveLength(1)
  expect(await link(world, browser, { provider: 'Google' })).toMatchObject({
    status: 409,
    body: { error: 'SSO_ALREADY_LINKED' },
  })
})

/** Starts linking with an access token, like an application. */
async function linkWithToken(browser: Visitor, body: object): Promise<string> {
  const { access_token } = await obtainTokens(url, browser.cookiesFor(url))
  const response = await fetch(`${url}/api/users/me/sso/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await response.json()) as { url: string }).url
}

/** Submits the form of a page. */
const submitForm = (browser: Visitor, page: string, headers: Record<string, string> = {}) => {
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  return fetch(url + (/action="([^"]*)"/.exec(page)?.[1] ?? ''), {
    method: 'POST',
    headers: { cookie: browser.cookiesFor(url), ...headers },
    body: new URLSearchParams({ csrf: field('csrf'), proposal: field('proposal') }),
    redirect: 'manual',
  })
}

describe('when a trusted application starts linking with a token', () => {
  test('the user must confirm what will be linked', async () => {
    const { browser } = await newUser(world, 'tina')
    const address = await linkWithToken(browser, { provider: 'GOOGLE', redirectUri: CALLBACK })
    world.google.person = newUpstreamUser('tina-there@example.com')
    const stop = await browser.go(address)
    expect(stop).toMatchObject({ status: 200, text: expect.stringContaining('tina-there@example.com') })
    // Nothing is linked before the confirmation: the token may be stolen.
    expect(await linksOf(world, browser)).toEqual([])
    const foreign = await submitForm(browser, stop.text, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
    const done = await submitForm(browser, stop.text)
    expect([done.status, done.headers.get('location')]).toEqual([303, CALLBACK])
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('the confirmation expires and is valid for that user only', async () => {
    const { browser } = await newUser(world, 'tom')
    const other = await newUser(world, 'tess')
    const address = await linkWithToken(browser, { provider: 'GOOGLE' })
    world.google.person = newUpstreamUser()
    const { text } = await browser.go(address)
    const { text: theirs } = await other.browser.go(`${url}/account`)
    const csrf = /name="csrf" value="([^"]*)"/.exec(theirs)?.[1] ?? ''
    const moved = text.replace(/name="csrf" value="[^"]*"/, `name="csrf" value="${csrf}"`)
    expect((await submitForm(other.browser, moved)).status).toBe(403)
    world.service.advance(11 * 60_000)
    expect((await submitForm(browser, text)).status).toBe(400)
    expect(await linksOf(world, browser)).toEqual([])
    expect(await linksOf(world, other.browser)).toEqual([])
  })
})

test('linking after an old sign-in requires the password', async () => {
  const { browser } = await newUser(world, 'olga')
  world.service.advance(61 * 60_000)
  expect(await link(world, browser, { provider: 'GOOGLE' })).toMatchObject({
    status: 403,
    body: { error: 'REAUTHENTICATION_REQUIRED' },
  })
  expect((await link(world, browser, { provider: 'GOOGLE', password: PASSWORD })).status).toBe(200)
})

test('linking cannot be finished in another browser, even by the same user', async () => {
  const { browser } = await newUser(world, 'bea')
  const { body } = await link(world, browser, { provider: 'GOOGLE' })
  world.google.person = newUpstreamUser()
  const elsewhere = await world.visitorAs('bea@example.com')
  expect((await elsewhere.go(String(body.url))).status).toBe(400)
  expect(await linksOf(world, browser)).toEqual([])
})

describe('only the user who started linking can finish it', () => {
  const startLinking = async (name: string) => {
    const { browser } = await newUser(world, name)
    const address = await linkWithToken(browser, { provider: 'GOOGLE' })
    world.google.person = newUpstreamUser()
    return { browser, address }
  }

  test('in the session of another user nothing is linked to either', async () => {
    const { browser, address } = await startLinking('owen')
    const victim = await newUser(world, 'vera')
    const before = await countAll(world)
    const stop = await victim.browser.go(address)
    expect(stop).toMatchObject({ status: 403, text: expect.stringContaining('Nothing was linked') })
    expect(await countAll(world)).toEqual(before)
    expect(await linksOf(world, browser)).toEqual([])
    expect(await linksOf(world, victim.browser)).toEqual([])
  })

  test('without a session nothing is linked and nobody is signed in', async () => {
    const { address } = await startLinking('otto')
    const before = await countAll(world)
    const stranger = world.visitor()
    expect((await stranger.go(address)).status).toBe(403)
    expect(await linksOf(world, stranger)).toBeUndefined()
    expect(await countAll(world)).toEqual(before)
  })
})

test('a provider account that is linked to another user is refused', async () => {
  const person = newUpstreamUser()
  const first = await newUser(world, 'first')
  world.google.person = person
  await linkThrough(world, first.browser, 'google')
  const second = await newUser(world, 'second')
  const stop = await linkThrough(world, second.browser, 'google')
  expect(stop).toMatchObject({ status: 409, text: expect.stringContaining('linked to another account') })
  expect(stop.text).toContain('href="/account"')
  expect(await linksOf(world, second.browser)).toEqual([])
  expect(await linksOf(world, first.browser)).toHaveLength(1)
})

test('concurrent attempts cannot link two accounts of one provider', async () => {
  const { browser } = await newUser(world, 'twice')
  const [one, other] = [
    await link(world, browser, { provider: 'GOOGLE' }),
    await link(world, browser, { provider: 'GOOGLE' }),
  ]
  world.google.person = newUpstreamUser()
  await browser.go(String(one.body.url))
  browser.forget(world.google.settings.issuer)
  world.google.person = newUpstreamUser()
  const stop = await browser.go(String(other.body.url))
  expect(stop).toMatchObject({ status: 409, text: expect.stringContaining('Unlink it first') })
  expect(await linksOf(world, browser)).toHaveLength(1)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALLBACK, obtainTokens, PASSWORD } from '../support/world.ts'
import { fresh, link, linkThrough } from './link-calls.ts'
import type { Visitor } from './visitor.ts'
import { countAll, linksOf, newPerson, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

test('a signed-in person links an account there, whatever its address, and signs in with it from then on', async () => {
  const { browser, userId } = await fresh(world, 'linda')
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

/** What an application does for a person, with their token. */
async function linkWithToken(browser: Visitor, body: object): Promise<string> {
  const { access_token } = await obtainTokens(url, browser.cookiesFor(url))
  const response = await fetch(`${url}/api/users/me/sso/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await response.json()) as { url: string }).url
}

/** Sends the form of a page. */
const answer = (browser: Visitor, page: string, headers: Record<string, string> = {}) => {
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  return fetch(url + (/action="([^"]*)"/.exec(page)?.[1] ?? ''), {
    method: 'POST',
    headers: { cookie: browser.cookiesFor(url), ...headers },
    body: new URLSearchParams({ csrf: field('csrf'), proposal: field('proposal') }),
    redirect: 'manual',
  })
}

describe('an application of ours may begin it with a token', () => {
  test('and the person, shown what would be linked, finishes it', async () => {
    const { browser } = await fresh(world, 'tina')
    const address = await linkWithToken(browser, { provider: 'GOOGLE', redirectUri: CALLBACK })
    world.google.person = newPerson('tina-there@example.com')
    const stop = await browser.go(address)
    expect(stop).toMatchObject({ status: 200, text: expect.stringContaining('tina-there@example.com') })
    // Whoever stole the token may have got this far, and nothing is linked yet.
    expect(await linksOf(world, browser)).toEqual([])
    const foreign = await answer(browser, stop.text, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
    const done = await answer(browser, stop.text)
    expect([done.status, done.headers.get('location')]).toEqual([303, CALLBACK])
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('and the question is good for a while, and for that person alone', async () => {
    const { browser } = await fresh(world, 'tom')
    const other = await fresh(world, 'tess')
    const address = await linkWithToken(browser, { provider: 'GOOGLE' })
    world.google.person = newPerson()
    const { text } = await browser.go(address)
    const { text: theirs } = await other.browser.go(`${url}/account`)
    const csrf = /name="csrf" value="([^"]*)"/.exec(theirs)?.[1] ?? ''
    const moved = text.replace(/name="csrf" value="[^"]*"/, `name="csrf" value="${csrf}"`)
    expect((await answer(other.browser, moved)).status).toBe(403)
    world.service.advance(11 * 60_000)
    expect((await answer(browser, text)).status).toBe(400)
    expect(await linksOf(world, browser)).toEqual([])
    expect(await linksOf(world, other.browser)).toEqual([])
  })
})

test('an old sign-in links nothing without the password', async () => {
  const { browser } = await fresh(world, 'olga')
  world.service.advance(61 * 60_000)
  expect(await link(world, browser, { provider: 'GOOGLE' })).toMatchObject({
    status: 403,
    body: { error: 'REAUTHENTICATION_REQUIRED' },
  })
  expect((await link(world, browser, { provider: 'GOOGLE', password: PASSWORD })).status).toBe(200)
})

test('what began in one browser ends in no other, be it the same person', async () => {
  const { browser } = await fresh(world, 'bea')
  const { body } = await link(world, browser, { provider: 'GOOGLE' })
  world.google.person = newPerson()
  const elsewhere = await world.visitorAs('bea@example.com')
  expect((await elsewhere.go(String(body.url))).status).toBe(400)
  expect(await linksOf(world, browser)).toEqual([])
})

describe('only they themselves may finish it', () => {
  const halfway = async (name: string) => {
    const { browser } = await fresh(world, name)
    const address = await linkWithToken(browser, { provider: 'GOOGLE' })
    world.google.person = newPerson()
    return { browser, address }
  }

  test('in the session of another person nothing is linked to either', async () => {
    const { browser, address } = await halfway('owen')
    const victim = await fresh(world, 'vera')
    const before = await countAll(world)
    const stop = await victim.browser.go(address)
    expect(stop).toMatchObject({ status: 403, text: expect.stringContaining('Nothing was linked') })
    expect(await countAll(world)).toEqual(before)
    expect(await linksOf(world, browser)).toEqual([])
    expect(await linksOf(world, victim.browser)).toEqual([])
  })

  test('where nobody is signed in nothing is linked, and nobody signed in', async () => {
    const { address } = await halfway('otto')
    const before = await countAll(world)
    const stranger = world.visitor()
    expect((await stranger.go(address)).status).toBe(403)
    expect(await linksOf(world, stranger)).toBeUndefined()
    expect(await countAll(world)).toEqual(before)
  })
})

test('an account there that opens another account here stays with that', async () => {
  const person = newPerson()
  const first = await fresh(world, 'first')
  world.google.person = person
  await linkThrough(world, first.browser, 'google')
  const second = await fresh(world, 'second')
  const stop = await linkThrough(world, second.browser, 'google')
  expect(stop).toMatchObject({ status: 409, text: expect.stringContaining('linked to another account') })
  expect(stop.text).toContain('href="/account"')
  expect(await linksOf(world, second.browser)).toEqual([])
  expect(await linksOf(world, first.browser)).toHaveLength(1)
})

test('two ways begun at once do not end in two accounts of one provider', async () => {
  const { browser } = await fresh(world, 'twice')
  const [one, other] = [
    await link(world, browser, { provider: 'GOOGLE' }),
    await link(world, browser, { provider: 'GOOGLE' }),
  ]
  world.google.person = newPerson()
  await browser.go(String(one.body.url))
  browser.forget(world.google.settings.issuer)
  world.google.person = newPerson()
  const stop = await browser.go(String(other.body.url))
  expect(stop).toMatchObject({ status: 409, text: expect.stringContaining('Unlink it first') })
  expect(await linksOf(world, browser)).toHaveLength(1)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { CALLBACK, machineToken, obtainTokens, PASSWORD, signIn } from '../support/world.ts'
import type { Visitor } from './visitor.ts'
import { callAs, countAll, findPerson, linksOf, newPerson, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

const link = (browser: Visitor, body: unknown) =>
  callAs(world, browser, { method: 'POST', path: '/api/users/me/sso/link', body })
const unlink = (browser: Visitor, provider: string) =>
  callAs(world, browser, { method: 'DELETE', path: `/api/users/me/sso/${provider}` })

/** Begins to link and comes back with the identity. */
async function linkThrough(browser: Visitor, provider: 'google' | 'okta', more: object = {}) {
  const { status, body } = await link(browser, { provider: provider.toUpperCase(), ...more })
  expect(status).toBe(200)
  browser.forget(world[provider].settings.issuer)
  return browser.go(String(body.url), (at) => at.endsWith('/account'))
}

/** A person with a password of the demo's, a verified address and no links. */
async function fresh(name: string): Promise<{ browser: Visitor; userId: string }> {
  const mia = await findPerson(world, 'mia@acme.test')
  const email = `${name}@example.com`
  const now = new Date()
  await world.service.ctx.db
    .insertInto('users')
    .values({
      ...{
        id: newId(),
        email,
        email_verified: true,
        is_super_admin: false,
        created_at: now,
        updated_at: now,
      },
      password_hash: mia?.password_hash ?? null,
    })
    .execute()
  const user = await findPerson(world, email)
  return { browser: await world.visitorAs(email), userId: user?.id ?? '' }
}

test('a signed-in person links an account there, whatever its address, and signs in with it from then on', async () => {
  const { browser, userId } = await fresh('linda')
  expect(await linksOf(world, browser)).toEqual([])
  const { status, body } = await link(browser, { provider: 'google' })
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
  expect(await link(browser, { provider: 'Google' })).toMatchObject({
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
    const { browser } = await fresh('tina')
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
    const { browser } = await fresh('tom')
    const other = await fresh('tess')
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
  const { browser } = await fresh('olga')
  world.service.advance(61 * 60_000)
  expect(await link(browser, { provider: 'GOOGLE' })).toMatchObject({
    status: 403,
    body: { error: 'REAUTHENTICATION_REQUIRED' },
  })
  expect((await link(browser, { provider: 'GOOGLE', password: PASSWORD })).status).toBe(200)
})

test('what began in one browser ends in no other, be it the same person', async () => {
  const { browser } = await fresh('bea')
  const { body } = await link(browser, { provider: 'GOOGLE' })
  world.google.person = newPerson()
  const elsewhere = await world.visitorAs('bea@example.com')
  expect((await elsewhere.go(String(body.url))).status).toBe(400)
  expect(await linksOf(world, browser)).toEqual([])
})

describe('only they themselves may finish it', () => {
  const halfway = async (name: string) => {
    const { browser } = await fresh(name)
    const address = await linkWithToken(browser, { provider: 'GOOGLE' })
    world.google.person = newPerson()
    return { browser, address }
  }

  test('in the session of another person nothing is linked to either', async () => {
    const { browser, address } = await halfway('owen')
    const victim = await fresh('vera')
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
  const first = await fresh('first')
  world.google.person = person
  await linkThrough(first.browser, 'google')
  const second = await fresh('second')
  const stop = await linkThrough(second.browser, 'google')
  expect(stop).toMatchObject({ status: 409, text: expect.stringContaining('linked to another account') })
  expect(stop.text).toContain('href="/account"')
  expect(await linksOf(world, second.browser)).toEqual([])
  expect(await linksOf(world, first.browser)).toHaveLength(1)
})

test('two ways begun at once do not end in two accounts of one provider', async () => {
  const { browser } = await fresh('twice')
  const [one, other] = [
    await link(browser, { provider: 'GOOGLE' }),
    await link(browser, { provider: 'GOOGLE' }),
  ]
  world.google.person = newPerson()
  await browser.go(String(one.body.url))
  browser.forget(world.google.settings.issuer)
  world.google.person = newPerson()
  const stop = await browser.go(String(other.body.url))
  expect(stop).toMatchObject({ status: 409, text: expect.stringContaining('Unlink it first') })
  expect(await linksOf(world, browser)).toHaveLength(1)
})

test('what cannot be linked is said before the person leaves', async () => {
  const { browser, userId } = await fresh('peter')
  for (const provider of ['MICROSOFT', 'nope', '', "'", '../google']) {
    expect(await link(browser, { provider })).toMatchObject({
      status: 400,
      body: { statusCode: 400, error: 'SSO_PROVIDER_NOT_CONFIGURED' },
    })
  }
  for (const body of [{}, { provider: 7 }, { provider: null }, { provider: 'GOOGLE', redirectUri: 7 }]) {
    expect(await link(browser, body)).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
  }
  await world.service.ctx.db
    .updateTable('users')
    .set({ email_verified: false })
    .where('id', '=', userId)
    .execute()
  expect(await link(browser, { provider: 'GOOGLE' })).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
})

test('nobody but people manage links, and no other site does it for them', async () => {
  const doors = [
    ['GET', '/api/users/me/sso'],
    ['POST', '/api/users/me/sso/link'],
    ['DELETE', '/api/users/me/sso/GOOGLE'],
  ] as const
  const machine = await machineToken(url, 'demo-ops')
  const cookie = await signIn(url, 'max@acme.test')
  for (const [method, path] of doors) {
    const headers = { 'Content-Type': 'application/json' }
    const body = method === 'POST' ? { body: JSON.stringify({ provider: 'GOOGLE' }) } : {}
    expect((await fetch(url + path, { method, headers, ...body })).status).toBe(401)
    const program = { ...headers, authorization: `Bearer ${machine}` }
    expect((await fetch(url + path, { method, headers: program, ...body })).status).toBe(403)
    if (method === 'GET') continue
    // A cookie comes along with whatever another site makes a browser send.
    const foreign = { ...headers, cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await fetch(url + path, { method, headers: foreign, ...body })).status).toBe(403)
  }
})

describe('where people go afterwards', () => {
  const good = [
    ['a path of ours', '/account?tab=links', () => `${url}/account?tab=links`],
    ['an address of ours', () => `${url}/account`, () => `${url}/account`],
    ['a redirect URI that a client has registered', CALLBACK, () => CALLBACK],
  ] as const

  test.each(good)('%s', async (_name, given, expected) => {
    const { browser } = await fresh(newId())
    const redirectUri = typeof given === 'string' ? given : given()
    const { status, body } = await link(browser, { provider: 'OKTA', redirectUri })
    expect(status).toBe(200)
    world.okta.person = newPerson()
    const stop = await browser.go(String(body.url), (at) => at === expected())
    expect(stop.url).toBe(expected())
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('nowhere else', async () => {
    const { browser } = await fresh('astray')
    const { host } = new URL(url)
    for (const redirectUri of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example/',
      '\\\\evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      `http://user:pass@${host}/account`,
      `http://${host}.evil.example/`,
      `http://${host}@evil.example/`,
      `${CALLBACK}/more`,
      `${CALLBACK}?more=1`,
      CALLBACK.toUpperCase(),
      'account',
      '',
    ]) {
      expect(await link(browser, { provider: 'GOOGLE', redirectUri }), redirectUri).toMatchObject({
        status: 422,
        body: { error: 'VALIDATION_FAILED', details: [{ field: 'redirectUri' }] },
      })
    }
  })

  test('nor where a disabled client would send them', async () => {
    const { db } = world.service.ctx
    const { browser } = await fresh('disabled-client')
    await db.updateTable('clients').set({ disabled: true }).execute()
    const { status } = await link(browser, { provider: 'GOOGLE', redirectUri: CALLBACK })
    await db.updateTable('clients').set({ disabled: false }).execute()
    expect(status).toBe(422)
  })
})

describe('unlinking', () => {
  const change = (userId: string, set: { password_hash?: null; password_sign_in?: boolean }) =>
    world.service.ctx.db.updateTable('users').set(set).where('id', '=', userId).execute()

  test('removes the link, in any letter case, and tells the person', async () => {
    const { browser, userId } = await fresh('ulla')
    const person = newPerson()
    world.google.person = person
    await linkThrough(browser, 'google')
    expect(await unlink(browser, 'google')).toEqual({
      status: 200,
      body: { success: true, message: 'Google account unlinked' },
    })
    expect(await linksOf(world, browser)).toEqual([])
    expect(await unlink(browser, 'GOOGLE')).toMatchObject({
      status: 404,
      body: { statusCode: 404, error: 'SSO_LINK_NOT_FOUND' },
    })
    const entry = await world.service.ctx.db
      .selectFrom('audit_entries')
      .selectAll()
      .where('user_id', '=', userId)
      .where('action', '=', 'user.sso_unlinked')
      .executeTakeFirst()
    expect(entry).toMatchObject({ details: { provider: 'GOOGLE' } })
    const mails = (await (await fetch(`${url}/dev/mailbox/messages`)).json()) as {
      to: string
      subject: string
    }[]
    expect(mails.find(({ to }) => to === 'ulla@example.com')?.subject).toBe('A sign-in provider was unlinked')
    // The identity is nobody's now: it opens nothing of hers, and an account of its own.
    const elsewhere = world.visitor()
    await elsewhere.go(`${url}/sso/google`)
    expect(await findPerson(world, person.email)).toMatchObject({ given_name: 'Nora' })
  })

  test('what is not linked is not found, whatever it is called', async () => {
    const { browser } = await fresh('nils')
    for (const provider of ['GOOGLE', 'MICROSOFT', 'nope', '%27', '..%2f', 'a'.repeat(80)]) {
      expect((await unlink(browser, provider)).status, provider).toBe(404)
    }
    expect((await unlink(browser, 'MICROSOFT')).body.error).toBe('SSO_LINK_NOT_FOUND')
  })

  test('needs a password', async () => {
    const { browser, userId } = await fresh('nopw')
    world.google.person = newPerson()
    await linkThrough(browser, 'google')
    await change(userId, { password_hash: null })
    expect(await unlink(browser, 'GOOGLE')).toMatchObject({
      status: 400,
      body: { statusCode: 400, error: 'PASSWORD_REQUIRED' },
    })
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('leaves a way in where the password opens nothing: another link, or a passkey', async () => {
    const { browser, userId } = await fresh('lastway')
    world.google.person = newPerson()
    await linkThrough(browser, 'google')
    await change(userId, { password_sign_in: false })
    const last = { status: 400, body: { statusCode: 400, error: 'LAST_LOGIN_METHOD' } }
    expect(await unlink(browser, 'GOOGLE')).toMatchObject(last)
    world.okta.person = newPerson()
    await linkThrough(browser, 'okta')
    expect(await unlink(browser, 'OKTA')).toEqual({
      status: 200,
      body: { success: true, message: 'Acme Okta account unlinked' },
    })
    // A link to a provider that is no longer set up opens nothing.
    const { db } = world.service.ctx
    const now = new Date()
    await db
      .insertInto('sso_links')
      .values({
        ...{ user_id: userId, provider: 'GONE', issuer: 'https://gone.example', subject: 'x' },
        ...{ linked_at: now, last_used_at: now },
      })
      .execute()
    expect(await unlink(browser, 'GOOGLE')).toMatchObject(last)
    expect(await unlink(browser, 'GONE')).toMatchObject({
      status: 200,
      body: { message: 'GONE account unlinked' },
    })
    await db
      .insertInto('passkeys')
      .values({
        ...{
          id: newId(),
          user_id: userId,
          credential_id: newId(),
          public_key: Buffer.from('x'),
          sign_count: 0,
        },
        ...{ transports: [], backed_up: false, name: 'Key', created_at: now },
      })
      .execute()
    expect((await unlink(browser, 'GOOGLE')).status).toBe(200)
  })

  test('of two at once, the second does not take the last way in', async () => {
    const { browser, userId } = await fresh('parallel')
    world.google.person = newPerson()
    world.okta.person = newPerson()
    await linkThrough(browser, 'google')
    await linkThrough(browser, 'okta')
    await change(userId, { password_sign_in: false })
    const answers = await Promise.all([unlink(browser, 'GOOGLE'), unlink(browser, 'OKTA')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await linksOf(world, browser)).toHaveLength(1)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { CALLBACK, machineToken, signIn } from '../support/world.ts'
import { link, linkThrough, newUser, unlink } from './link-calls.ts'
import { findUserRow, linksOf, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

test('problems are reported before the redirect to the provider', async () => {
  const { browser, userId } = await newUser(world, 'peter')
  for (const provider of ['MICROSOFT', 'nope', '', "'", '../google']) {
    expect(await link(world, browser, { provider })).toMatchObject({
      status: 400,
      body: { statusCode: 400, error: 'SSO_PROVIDER_NOT_CONFIGURED' },
    })
  }
  for (const body of [{}, { provider: 7 }, { provider: null }, { provider: 'GOOGLE', redirectUri: 7 }]) {
    expect(await link(world, browser, body)).toMatchObject({
      status: 422,
      body: { error: 'VALIDATION_FAILED' },
    })
  }
  await world.service.ctx.db.updateTable('users').set({ email_verified: false }).where('id', '=', userId).execute()
  expect(await link(world, browser, { provider: 'GOOGLE' })).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
})

test('links cannot be managed without a user, by a machine client, or cross-site', async () => {
  const routes = [
    ['GET', '/api/users/me/sso'],
    ['POST', '/api/users/me/sso/link'],
    ['DELETE', '/api/users/me/sso/GOOGLE'],
  ] as const
  const machine = await machineToken(url, 'demo-ops')
  const cookie = await signIn(url, 'max@acme.test')
  for (const [method, path] of routes) {
    const headers = { 'Content-Type': 'application/json' }
    const body = method === 'POST' ? { body: JSON.stringify({ provider: 'GOOGLE' }) } : {}
    expect((await fetch(url + path, { method, headers, ...body })).status).toBe(401)
    const program = { ...headers, authorization: `Bearer ${machine}` }
    expect((await fetch(url + path, { method, headers: program, ...body })).status).toBe(403)
    if (method === 'GET') continue
    // The browser sends the cookie with cross-site requests too.
    const foreign = { ...headers, cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await fetch(url + path, { method, headers: foreign, ...body })).status).toBe(403)
  }
})

test('link attempts are limited per user', async () => {
  const { browser } = await newUser(world, 'busy')
  const answers = await Promise.all(Array.from({ length: 101 }, () => link(world, browser, { provider: 'GOOGLE' })))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toMatchObject([{ status: 429, body: { error: 'RATE_LIMITED' } }])
  const other = await newUser(world, 'calm')
  expect((await link(world, other.browser, { provider: 'GOOGLE' })).status).toBe(200)
})

describe('the redirectUri may be', () => {
  const good = [
    ['a path of this service', '/account?tab=links', () => `${url}/account?tab=links`],
    ['a URL of this service', () => `${url}/account`, () => `${url}/account`],
  ] as const

  test.each(good)('%s', async (_name, given, expected) => {
    const { browser } = await newUser(world, newId())
    const redirectUri = typeof given === 'string' ? given : given()
    const { status, body } = await link(world, browser, { provider: 'OKTA', redirectUri })
    expect(status).toBe(200)
    world.okta.person = newUpstreamUser()
    const stop = await browser.go(String(body.url), (at) => at === expected())
    expect(stop.url).toBe(expected())
    expect(await linksOf(world, browser)).toHaveLength(1)
  })

  test('no other URL', async () => {
    const { browser } = await newUser(world, 'astray')
    const { host } = new URL(url)
    for (const redirectUri of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example/',
      '\\\\evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      // Its origin is that of this service, but its content is not.
      `blob:${url}/x`,
      `http://user:pass@${host}/account`,
      `http://${host}.evil.example/`,
      `http://${host}@evil.example/`,
      `${CALLBACK}/more`,
      `${CALLBACK}?more=1`,
      CALLBACK.toUpperCase(),
      'account',
      '',
    ]) {
      expect(await link(world, browser, { provider: 'GOOGLE', redirectUri }), redirectUri).toMatchObject({
        status: 422,
        body: { error: 'VALIDATION_FAILED', details: [{ field: 'redirectUri' }] },
      })
    }
  })

  test('not the redirect URI of a disabled client', async () => {
    const { db } = world.service.ctx
    const { browser } = await newUser(world, 'disabled-client')
    await db.updateTable('clients').set({ disabled: true }).execute()
    const { status } = await link(world, browser, { provider: 'GOOGLE', redirectUri: CALLBACK })
    await db.updateTable('clients').set({ disabled: false }).execute()
    expect(status).toBe(422)
  })
})

describe('unlinking', () => {
  const change = (userId: string, set: { password_sign_in: boolean }) =>
    world.service.ctx.db.updateTable('users').set(set).where('id', '=', userId).execute()

  test('deletes the link, case-insensitively, and notifies the user', async () => {
    const { browser, userId } = await newUser(world, 'ulla')
    const person = newUpstreamUser()
    world.google.person = person
    await linkThrough(world, browser, 'google')
    expect(await unlink(world, browser, 'google')).toEqual({
      status: 200,
      body: { success: true, message: 'Google account unlinked' },
    })
    expect(await linksOf(world, browser)).toEqual([])
    expect(await unlink(world, browser, 'GOOGLE')).toMatchObject({
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
    // The identity is not linked now, so it gets a new account.
    const elsewhere = world.visitor()
    await elsewhere.go(`${url}/sso/google`)
    expect(await findUserRow(world, person.email)).toMatchObject({ given_name: 'Nora' })
  })

  test('a provider that is not linked is not found', async () => {
    const { browser } = await newUser(world, 'nils')
    for (const provider of ['GOOGLE', 'MICROSOFT', 'nope', '%27', '..%2f', 'a'.repeat(80)]) {
      expect((await unlink(world, browser, provider)).status, provider).toBe(404)
    }
    expect((await unlink(world, browser, 'MICROSOFT')).body.error).toBe('SSO_LINK_NOT_FOUND')
  })

  test('requires another link or a passkey if password sign-in is off', async () => {
    const { browser, userId } = await newUser(world, 'lastway')
    world.google.person = newUpstreamUser()
    await linkThrough(world, browser, 'google')
    await change(userId, { password_sign_in: false })
    const last = { status: 400, body: { statusCode: 400, error: 'LAST_LOGIN_METHOD' } }
    expect(await unlink(world, browser, 'GOOGLE')).toMatchObject(last)
    world.okta.person = newUpstreamUser()
    await linkThrough(world, browser, 'okta')
    expect(await unlink(world, browser, 'OKTA')).toEqual({
      status: 200,
      body: { success: true, message: 'Acme Okta account unlinked' },
    })
    // A link to a provider that is no longer configured does not count.
    const { db } = world.service.ctx
    const now = new Date()
    await db
      .insertInto('sso_links')
      .values({
        user_id: userId,
        provider: 'GONE',
        issuer: 'https://gone.example',
        subject: 'x',
        linked_at: now,
        last_used_at: now,
      })
      .execute()
    expect(await unlink(world, browser, 'GOOGLE')).toMatchObject(last)
    expect(await unlink(world, browser, 'GONE')).toMatchObject({
      status: 200,
      body: { message: 'GONE account unlinked' },
    })
    await db
      .insertInto('passkeys')
      .values({
        id: newId(),
        user_id: userId,
        credential_id: newId(),
        public_key: Buffer.from('x'),
        sign_count: 0,
        transports: [],
        backed_up: false,
        name: 'Key',
        created_at: now,
      })
      .execute()
    expect((await unlink(world, browser, 'GOOGLE')).status).toBe(200)
  })

  test('concurrent requests cannot remove the last sign-in method', async () => {
    const { browser, userId } = await newUser(world, 'parallel')
    world.google.person = newUpstreamUser()
    world.okta.person = newUpstreamUser()
    await linkThrough(world, browser, 'google')
    await linkThrough(world, browser, 'okta')
    await change(userId, { password_sign_in: false })
    const answers = await Promise.all([unlink(world, browser, 'GOOGLE'), unlink(world, browser, 'OKTA')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await linksOf(world, browser)).toHaveLength(1)
  })
})

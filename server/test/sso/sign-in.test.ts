import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizeUrl, signIn } from '../support/world.ts'
import { countAll, findUserRow, linksOf, newUpstreamUser, type SsoWorld, startSsoWorld } from './world.ts'

let world: SsoWorld
let url: string
beforeAll(async () => {
  world = await startSsoWorld()
  url = world.url
})
afterAll(() => world.close())

const isCallback = (address: string) => address.includes('/callback?')

test('every authorization request to a provider has a new state, nonce and PKCE challenge', async () => {
  const [one, other] = await Promise.all(
    [1, 2].map(async () => {
      const { url: address } = await world.visitor().go(`${url}/sso/google`, (at) => !at.startsWith(url))
      return new URL(address)
    }),
  )
  const asked = Object.fromEntries(one?.searchParams ?? [])
  expect(one?.origin).toBe(world.google.settings.issuer)
  expect(asked).toEqual({
    client_id: 'latchkey',
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: `${url}/sso/google/callback`,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  })
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(other?.searchParams.get(name)).not.toBe(asked[name])
  }
})

test.each(['google', 'okta'] as const)('a new user gets an account through %s', async (name) => {
  const person = newUpstreamUser()
  world[name].person = person
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/${name}`, (at) => at.endsWith('/account'))
  expect(stop.url).toBe(`${url}/account`)
  expect(await findUserRow(world, person.email)).toMatchObject({
    email_verified: true,
    display_name: 'Nora New',
    given_name: 'Nora',
    family_name: 'New',
    picture_url: 'https://example.com/nora.png',
    password_hash: null,
    is_super_admin: false,
  })
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(await linksOf(world, browser)).toEqual([
    {
      provider: name.toUpperCase(),
      email: person.email,
      displayName: 'Nora New',
      avatarUrl: 'https://example.com/nora.png',
      linkedAt: timestamp,
      lastUsedAt: timestamp,
    },
  ])
})

test('a new user has the language that the application asked for', async () => {
  const person = newUpstreamUser()
  world.google.person = person
  const browser = world.visitor()
  const { url: login } = await browser.go(authorizeUrl(url, { ui_locales: 'fr' }), (at) => at.includes('/login?'))
  const stop = await browser.go(login.replace('/login?', '/sso/google?'), (at) => isCallback(at) && !at.startsWith(url))
  expect(stop.url).toMatch(/^http:\/\/localhost:8080\/callback\?code=/)
  expect(await findUserRow(world, person.email)).toMatchObject({ locale: 'fr' })
})

test('a returning identity is the same user, also with a new address and name', async () => {
  const person = newUpstreamUser()
  world.google.person = person
  const browser = world.visitor()
  await browser.go(`${url}/sso/google`)
  const before = await linksOf(world, browser)
  const user = await findUserRow(world, person.email)
  world.service.advance(60_000)
  world.google.person = {
    ...person,
    email: 'elsewhere@example.com',
    email_verified: false,
    name: 'Nora Newer',
    picture: 'javascript:alert(1)',
  }
  const another = world.visitor()
  await another.go(`${url}/sso/google`)
  const [link] = (await linksOf(world, another)) ?? []
  expect(link).toMatchObject({ email: 'elsewhere@example.com', displayName: 'Nora Newer', avatarUrl: null })
  expect(link?.linkedAt).toBe(before?.[0]?.linkedAt)
  expect(Date.parse(link?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before?.[0]?.lastUsedAt ?? '') + 60_000)
  expect(await findUserRow(world, person.email)).toMatchObject({ id: user?.id, display_name: 'Nora New' })
  expect(await findUserRow(world, 'elsewhere@example.com')).toBeUndefined()
})

test('an address verified on both sides links the existing account and notifies its user', async () => {
  world.google.person = newUpstreamUser('Adam@ACME.test')
  const browser = world.visitor()
  await browser.go(`${url}/sso/google`)
  expect(await linksOf(world, browser)).toMatchObject([{ provider: 'GOOGLE', email: 'adam@acme.test' }])
  const adam = await findUserRow(world, 'adam@acme.test')
  expect(adam).toMatchObject({ given_name: 'Adam' })
  const mail = await mailsTo('adam@acme.test')
  expect(mail[0]).toMatchObject({ subject: 'A sign-in provider was linked' })
  expect(mail[0]?.text).toContain('Provider: Google')
  const entries = await world.service.ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('user_id', '=', adam?.id ?? '')
    .where('action', '=', 'user.sso_linked')
    .execute()
  expect(entries).toMatchObject([{ details: { provider: 'GOOGLE', issuer: world.google.settings.issuer } }])
  // A second account of the same provider with the same address is another identity.
  world.google.person = newUpstreamUser('adam@acme.test')
  await expectRefused({ status: 403, says: 'is not linked to an account here' })
  expect(await linksOf(world, browser)).toHaveLength(1)
})

const mailsTo = async (address: string) => {
  const response = await fetch(`${url}/dev/mailbox/messages`)
  const mails = (await response.json()) as { to: string; subject: string; text: string }[]
  return mails.filter(({ to, subject }) => to === address && subject.includes('provider'))
}

/** Signs in and checks that no session, link or user was created. */
async function expectRefused({ status, says }: { status: number; says: string }, provider = 'google') {
  const before = await countAll(world)
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/${provider}`)
  expect(stop).toMatchObject({ status, text: expect.stringContaining(says) })
  expect(stop.text).toContain('href="/login"')
  expect(await linksOf(world, browser)).toBeUndefined()
  expect(await countAll(world)).toEqual(before)
  return stop
}

describe('an address that is not verified on both sides links nothing', () => {
  test('unverified at the provider: the same page whether or not the address has an account', async () => {
    const { email_verified, ...unmarked } = newUpstreamUser('mia@acme.test')
    const pages: string[] = []
    for (const person of [
      { ...newUpstreamUser('mia@acme.test'), email_verified: false },
      unmarked,
      { ...newUpstreamUser('nobody@example.com'), email_verified: false },
      { sub: 'no-address', name: 'Nobody' },
      { ...newUpstreamUser(), email: 'not an address' },
    ]) {
      world.google.person = person
      pages.push((await expectRefused({ status: 403, says: 'Sign in with your password' })).text)
    }
    expect(new Set(pages).size).toBe(1)
  })

  test('unverified at a provider that sends the address in the ID token', async () => {
    world.okta.person = { ...newUpstreamUser('mia@acme.test'), email_verified: false }
    await expectRefused({ status: 403, says: 'Sign in with your password' }, 'okta')
  })

  test('unverified here', async () => {
    const body = JSON.stringify({ email: 'early@example.com', password: 'a stranger chose this' })
    const headers = { 'Content-Type': 'application/json' }
    await fetch(`${url}/api/auth/register`, { method: 'POST', headers, body })
    world.google.person = newUpstreamUser('early@example.com')
    await expectRefused({ status: 403, says: 'Sign in with your password' })
  })

  test('the operator may trust a provider without email_verified', async () => {
    const { settings } = world.okta
    const mutable = settings as { trustEmail: boolean }
    mutable.trustEmail = true
    world.okta.person = { sub: 'vouched', email: 'vouched@example.com' }
    const browser = world.visitor()
    await browser.go(`${url}/sso/okta`)
    mutable.trustEmail = false
    expect(await linksOf(world, browser)).toMatchObject([{ email: 'vouched@example.com' }])
  })
})

test('concurrent sign-ins with one identity create one account', async () => {
  const person = newUpstreamUser()
  world.google.person = person
  const before = await countAll(world)
  const browsers = Array.from({ length: 4 }, () => world.visitor())
  const callbacks = await Promise.all(browsers.map((browser) => browser.go(`${url}/sso/google`, isCallback)))
  await Promise.all(browsers.map((browser, index) => browser.go(callbacks[index]?.url ?? '')))
  for (const browser of browsers) expect(await linksOf(world, browser)).toHaveLength(1)
  const after = await countAll(world)
  expect(after).toMatchObject({
    users: before.users + 1,
    links: before.links + 1,
    sessions: before.sessions + 4,
  })
})

test('a disabled account is refused', async () => {
  const person = newUpstreamUser()
  world.google.person = person
  await world.visitor().go(`${url}/sso/google`)
  const { db } = world.service.ctx
  await db.updateTable('users').set({ disabled: true }).where('email', '=', person.email).execute()
  await expectRefused({ status: 403, says: 'disabled' })
  world.okta.person = newUpstreamUser(person.email)
  await expectRefused({ status: 403, says: 'Sign in with your password' }, 'okta')
})

test('a second factor is required after a sign-in through a provider', async () => {
  const person = newUpstreamUser()
  world.google.person = person
  await world.visitor().go(`${url}/sso/google`)
  const user = await findUserRow(world, person.email)
  const { db, keys } = world.service.ctx
  await db
    .insertInto('totp_secrets')
    .values({
      user_id: user?.id ?? '',
      sealed_secret: keys.seal('totp', 'JBSWY3DPEHPK3PXP'),
      created_at: new Date(),
      confirmed_at: new Date(),
    })
    .execute()
  const before = await countAll(world)
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/google`, (at) => at.includes('/mfa'))
  expect(stop.url).toBe(`${url}/mfa`)
  expect(await linksOf(world, browser)).toBeUndefined()
  expect(await countAll(world)).toMatchObject({ sessions: before.sessions, pending: before.pending + 1 })
})

test('a user scheduled for deletion is redirected to the restore page', async () => {
  const person = newUpstreamUser()
  world.google.person = person
  await world.visitor().go(`${url}/sso/google`)
  const { db } = world.service.ctx
  await db.updateTable('users').set({ deletion_requested_at: new Date() }).where('email', '=', person.email).execute()
  const browser = world.visitor()
  const stop = await browser.go(`${url}/sso/google`, (at) => at.includes('/restore'))
  expect(stop.url).toBe(`${url}/restore`)
  expect(await linksOf(world, browser)).toBeUndefined()
})

describe('in a login of an application', () => {
  const startLogin = async (parameters: Record<string, string> = {}) => {
    const response = await fetch(authorizeUrl(url, parameters), { redirect: 'manual' })
    return new URL(response.headers.get('location') ?? '', url).searchParams.get('journey') ?? ''
  }

  test('the sign-in continues to the application, and amr is fed', async () => {
    world.google.person = newUpstreamUser()
    const stop = await world.visitor().go(`${url}/sso/google?journey=${await startLogin()}`)
    expect(stop.url).toMatch(/^http:\/\/localhost:8080\/callback\?code=[\w-]+&state=st&iss=/)
    const session = await world.service.ctx.db
      .selectFrom('sessions')
      .select('amr')
      .orderBy('created_at', 'desc')
      .executeTakeFirst()
    expect(session?.amr).toEqual(['fed'])
  })

  test('a user who must reauthenticate must do so at the provider too', async () => {
    const cookie = await signIn(url, 'mia@acme.test')
    const address = authorizeUrl(url, { prompt: 'login', login_hint: 'mia@acme.test' })
    const response = await fetch(address, { headers: { cookie }, redirect: 'manual' })
    const journey = new URL(response.headers.get('location') ?? '', url).searchParams.get('journey')
    const stop = await world.visitor().go(`${url}/sso/okta?journey=${journey}`, (at) => !at.startsWith(url))
    const asked = new URL(stop.url).searchParams
    expect(asked.get('prompt')).toBe('login')
    expect(asked.get('login_hint')).toBe('mia@acme.test')
  })

  test('a cancelled sign-in at the provider returns to the sign-in page of the same login', async () => {
    world.google.person = undefined
    const stop = await world.visitor().go(`${url}/sso/google?journey=${await startLogin()}`)
    expect(stop).toMatchObject({ status: 400, text: expect.stringContaining('not signed in by Google') })
    const [, back] = /href="(\/login\?journey=[\w-]+)"/.exec(stop.text) ?? []
    const login = await fetch(url + back)
    expect(login.status).toBe(200)
    expect(await login.text()).toContain('Project Manager')
  })

  test('an invalid journey parameter is ignored', async () => {
    world.google.person = newUpstreamUser()
    const stop = await world.visitor().go(`${url}/sso/google?journey=nonsense`, (at) => at.endsWith('/account'))
    expect(stop.url).toBe(`${url}/account`)
  })
})

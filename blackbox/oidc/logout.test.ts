import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { joinToken, signAsStranger, splitToken } from '../support/jwt.ts'
import { confirmLogout, isSignedIn, logOut, logoutForm } from '../support/logout.ts'
import { getTokens, introspect, refresh, userinfo } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { type Fields, GOODBYE, unique } from '../support/service.ts'

const ONLY_B = 'https://b.blackbox.test/goodbye'
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
await newClient(application, 'WEB', { postLogoutRedirectUris: [ONLY_B] })
const someone = await newPerson()

async function session() {
  const browser = await someone.signIn()
  const tokens = await getTokens(browser, spa)
  return { browser, tokens, hint: tokens.id_token }
}

function expectPage(response: Response) {
  expect(response.headers.has('location')).toBe(false)
  expect(response.status).toBeLessThan(500)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
}

// A hint that is genuine but expired needs the clock: the service's own tests make one.
test.each(['GET', 'POST'])(
  'T080: %s with hint, address and state ends the session and returns the state',
  async (method) => {
    const { browser, hint } = await session()
    const state = 's&=#+%é'.padEnd(128, 'x')
    const fields = { id_token_hint: hint, post_logout_redirect_uri: GOODBYE, state }
    const response = await logOut(browser, fields, method)
    expect([302, 303]).toContain(response.status)
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(GOODBYE)
    expect(Object.fromEntries(location.searchParams)).toEqual({ state })
    expect(await isSignedIn(browser, spa)).toBe(false)
  },
)

test('T080: without a cookie, the hint names the session to end', async () => {
  const { browser, tokens, hint } = await session()
  const fields = { id_token_hint: hint, post_logout_redirect_uri: GOODBYE }
  expect((await logOut(openBrowser(), fields)).headers.get('location')).toBe(GOODBYE)
  expect(await isSignedIn(browser, spa)).toBe(false)
  expect((await userinfo(tokens.access_token)).status).toBe(401)
})

test('T080: a logout that is repeated redirects again', async () => {
  const { browser, hint } = await session()
  const fields = { id_token_hint: hint, post_logout_redirect_uri: GOODBYE }
  await logOut(browser, fields)
  expect((await logOut(browser, fields)).headers.get('location')).toBe(GOODBYE)
})

test.each([
  'https://evil.test/',
  `${GOODBYE}?added=1`,
  `${GOODBYE}#fragment`,
  `${GOODBYE}more`,
  GOODBYE.slice(0, -1),
  GOODBYE.replace('8080', '8081'),
  GOODBYE.replace('http:', 'https:'),
  GOODBYE.replace('localhost', 'LOCALHOST'),
  GOODBYE.replace('localhost', 'localhost@evil.test'),
  '//evil.test/',
  '/',
])(
  'T081: the address %s is registered by nobody: the session ends on a page',
  async (post_logout_redirect_uri) => {
    const { browser, hint } = await session()
    expectPage(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri }))
    expect(await isSignedIn(browser, spa)).toBe(false)
  },
)

test.each<[string, (hint: string) => string]>([
  ['alg none', (hint) => joinToken({ alg: 'none' }, splitToken(hint).payload)],
  [
    'a foreign key',
    (hint) => {
      const { header, payload } = splitToken(hint)
      return joinToken(header, payload, signAsStranger)
    },
  ],
  [
    'another subject',
    (hint) => {
      const { header, payload, signature } = splitToken(hint)
      return joinToken(header, { ...payload, sub: 'somebody else' }, signature)
    },
  ],
  ['garbage', () => 'garbage'],
  ['an empty value', () => ''],
])('T081: a hint of %s is no hint: no redirect, and the session lives', async (_, forge) => {
  const { browser, hint } = await session()
  const fields = { id_token_hint: forge(hint), post_logout_redirect_uri: GOODBYE }
  for (const method of ['GET', 'POST']) expectPage(await logOut(browser, fields, method))
  expect(await isSignedIn(browser, spa)).toBe(true)
})

test('T081: an access token is no hint', async () => {
  const { browser, tokens } = await session()
  expectPage(await logOut(browser, { id_token_hint: tokens.access_token, post_logout_redirect_uri: GOODBYE }))
  expect(await isSignedIn(browser, spa)).toBe(true)
})

test('T081: the hint of another person logs nobody out without asking', async () => {
  const { browser } = await session()
  const other = await newPerson()
  const { id_token } = await getTokens(await other.signIn(), spa)
  expectPage(await logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: GOODBYE }))
  expect(await isSignedIn(browser, spa)).toBe(true)
})

test.each<[string, Fields, string | null]>([
  ['an address that some client registered is followed', { post_logout_redirect_uri: GOODBYE }, GOODBYE],
  ['an address that nobody registered is a page', { post_logout_redirect_uri: 'https://evil.test/' }, null],
  ['no address is a page', {}, null],
])('T081: without hint and session, %s', async (_, fields, expected) => {
  const response = await logOut(openBrowser(), fields)
  expect(response.headers.get('location')).toBe(expected)
})

test('T082: the hint of one client does not open the address of another', async () => {
  const { browser, hint } = await session()
  expectPage(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: ONLY_B }))
})

describe('without a hint', () => {
  test('T084: a GET, as by an image, ends nothing until a person confirms', async () => {
    const { browser, tokens } = await session()
    const page = await logOut(browser, {})
    expectPage(page)
    expect(await isSignedIn(browser, spa)).toBe(true)
    expect((await userinfo(tokens.access_token)).status).toBe(200)
    await confirmLogout(browser, page)
    expect(await isSignedIn(browser, spa)).toBe(false)
    expect((await userinfo(tokens.access_token)).status).toBe(401)
  })

  test('T084: a POST without the CSRF token of the page ends nothing', async () => {
    const { browser } = await session()
    const form = await logoutForm(await logOut(browser, {}))
    if (!form) throw new Error('there is nothing to confirm')
    const { action, fields, buttons } = form
    const hidden = Object.keys(fields)
    expect(hidden.length).toBeGreaterThan(0)
    const pressed = Object.fromEntries(buttons.flatMap(({ name, value }) => (name ? [[name, value]] : [])))
    await browser.post(action, pressed)
    const forged = Object.fromEntries(hidden.map((name) => [name, unique('forged')]))
    await browser.post(action, { ...forged, ...pressed })
    expect(await isSignedIn(browser, spa)).toBe(true)
    await browser.post(action, { ...fields, ...pressed })
    expect(await isSignedIn(browser, spa)).toBe(false)
  })

  test('T084: a POST from another site ends nothing', async () => {
    const { browser } = await session()
    const headers = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    await browser.post('/api/oauth/logout', {}, headers)
    const form = await logoutForm(await logOut(browser, {}))
    if (!form) throw new Error('there is nothing to confirm')
    await browser.post(form.action, form.fields, headers)
    expect(await isSignedIn(browser, spa)).toBe(true)
  })

  test('T084: the CSRF token of another browser ends nothing', async () => {
    const [victim, attacker] = [await session(), await session()]
    const form = await logoutForm(await logOut(attacker.browser, {}))
    if (!form) throw new Error('there is nothing to confirm')
    const pressed = form.buttons.flatMap(({ name, value }) => (name ? [[name, value]] : []))
    await victim.browser.post(form.action, { ...form.fields, ...Object.fromEntries(pressed) })
    expect(await isSignedIn(victim.browser, spa)).toBe(true)
  })
})

test('T085: logout ends the tokens of this session, also of its other clients, and of no other device', async () => {
  const [here, elsewhere] = [await session(), await session()]
  const sibling = await getTokens(here.browser, web)
  await logOut(here.browser, { id_token_hint: here.hint, post_logout_redirect_uri: GOODBYE })
  for (const { access_token, refresh_token } of [here.tokens, sibling]) {
    expect((await userinfo(access_token)).status).toBe(401)
    expect((await introspect(web, refresh_token)).body).toEqual({ active: false })
  }
  expect((await refresh(spa, here.tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await refresh(web, sibling.refresh_token)).body.error).toBe('invalid_grant')
  expect((await userinfo(elsewhere.tokens.access_token)).status).toBe(200)
  expect((await refresh(spa, elsewhere.tokens.refresh_token)).status).toBe(200)
  expect(await isSignedIn(elsewhere.browser, spa)).toBe(true)
})

test('T085: the cookie of an ended session is worthless, also when it is put back', async () => {
  const { browser, hint } = await session()
  const kept = new Map(browser.cookies)
  await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: GOODBYE })
  for (const [name, value] of kept) browser.cookies.set(name, value)
  expect(await isSignedIn(browser, spa)).toBe(false)
})

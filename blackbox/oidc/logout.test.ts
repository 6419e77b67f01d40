import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { joinToken, signAsStranger, splitToken } from '../support/jwt.ts'
import { confirmLogout, isSignedIn, logOut, logoutForm } from '../support/logout.ts'
import {
  authorize,
  type Client,
  EVERYTHING,
  exchange,
  getTokens,
  introspect,
  landing,
  refresh,
  type Tokens,
  userinfo,
} from '../support/oauth.ts'
import { goThrough } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { type Fields, GOODBYE, unique } from '../support/service.ts'

const ONLY_B = 'https://b.blackbox.test/goodbye'
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
await newClient(application, 'WEB', { postLogoutRedirectUris: [ONLY_B] })
const stranger = await newApplication({ trusted: false })
const someone = await newPerson()

async function getTokensWithConsent(browser: Browser, client: Client): Promise<Tokens> {
  const page = await authorize(browser, client, { scope: EVERYTHING })
  const { code = '' } = landing(await goThrough(browser, page, someone))
  return (await exchange(client, code)).body
}

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

const NOT_REGISTERED = /address[^.]* not registered/i

/** A page, and no way from there to the address that was asked for. */
async function expectRefusedAddress(response: Response) {
  expectPage(response)
  const text = await response.text()
  expect(text).toMatch(NOT_REGISTERED)
  expect(text).not.toContain('evil.test')
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
  'T081: the address %s is registered by nobody: the session ends on a page that says so',
  async (post_logout_redirect_uri) => {
    const { browser, hint } = await session()
    await expectRefusedAddress(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri }))
    expect(await isSignedIn(browser, spa)).toBe(false)
  },
)

test('T081: an address that is not registered is told of wherever it is asked for', async () => {
  const post_logout_redirect_uri = 'https://evil.test/'
  const { browser, hint } = await session()
  await expectRefusedAddress(await logOut(openBrowser(), { id_token_hint: hint, post_logout_redirect_uri }))
  await expectRefusedAddress(await logOut(openBrowser(), { post_logout_redirect_uri }))
  const again = await someone.signIn()
  const question = await logOut(again, { post_logout_redirect_uri })
  await expectRefusedAddress(question.clone())
  expect(await isSignedIn(again, spa)).toBe(true)
  expectPage(await confirmLogout(again, question))
  expect(await isSignedIn(again, spa)).toBe(false)
  expect(await isSignedIn(browser, spa)).toBe(false)
})

test('T081: a logout that names no address says that the person is signed out, and of no address', async () => {
  const { browser, hint } = await session()
  const page = await logOut(browser, { id_token_hint: hint })
  expect(page.status).toBe(200)
  const text = await page.text()
  expect(text).toMatch(/you are signed out/i)
  expect(text).not.toMatch(NOT_REGISTERED)
})

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
  await expectRefusedAddress(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: ONLY_B }))
})

test('T082: without a hint, the client that is named must have registered the address', async () => {
  const fields = { client_id: spa.clientId, post_logout_redirect_uri: ONLY_B }
  await expectRefusedAddress(await logOut(openBrowser(), fields))
  const own = { client_id: spa.clientId, post_logout_redirect_uri: GOODBYE }
  expect((await logOut(openBrowser(), own)).headers.get('location')).toBe(GOODBYE)
  const unknown = { client_id: unique('nobody'), post_logout_redirect_uri: GOODBYE }
  await expectRefusedAddress(await logOut(openBrowser(), unknown))
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

describe('a third-party application', () => {
  async function withStranger(browser: Browser) {
    const client = await newClient(stranger, 'WEB')
    return { client, tokens: await getTokensWithConsent(browser, client) }
  }

  test('T085: its server, which shows a hint and no cookie, ends its own tokens and nothing else', async () => {
    const { browser, tokens } = await session()
    const [one, other] = [await withStranger(browser), await withStranger(browser)]
    const elsewhere = await getTokensWithConsent(await someone.signIn(), one.client)
    const fields = { id_token_hint: one.tokens.id_token, post_logout_redirect_uri: GOODBYE, state: 'kept' }
    const response = await logOut(openBrowser(), fields)
    expect(response.headers.get('location')).toBe(`${GOODBYE}?state=kept`)
    expect((await userinfo(one.tokens.access_token)).status).toBe(401)
    expect((await refresh(one.client, one.tokens.refresh_token)).body.error).toBe('invalid_grant')
    // The person stays signed in, here in other applications and with this one elsewhere.
    expect(await isSignedIn(browser, spa)).toBe(true)
    for (const { access_token } of [tokens, other.tokens, elsewhere]) {
      expect((await userinfo(access_token)).status).toBe(200)
    }
    expect((await refresh(spa, tokens.refresh_token)).status).toBe(200)
    expect((await refresh(other.client, other.tokens.refresh_token)).status).toBe(200)
    // Once more there is nothing to end, and the answer is the same.
    const repeated = await logOut(openBrowser(), fields, 'POST')
    expect(repeated.headers.get('location')).toBe(`${GOODBYE}?state=kept`)
    expect(await isSignedIn(browser, spa)).toBe(true)
  })

  test('T085: with the cookie of the person, the session ends', async () => {
    const { browser, tokens } = await session()
    const { tokens: given } = await withStranger(browser)
    await logOut(browser, { id_token_hint: given.id_token, post_logout_redirect_uri: GOODBYE })
    expect(await isSignedIn(browser, spa)).toBe(false)
    expect((await userinfo(tokens.access_token)).status).toBe(401)
  })
})

test('T085: the cookie of an ended session is worthless, also when it is put back', async () => {
  const { browser, hint } = await session()
  const kept = new Map(browser.cookies)
  await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: GOODBYE })
  for (const [name, value] of kept) browser.cookies.set(name, value)
  expect(await isSignedIn(browser, spa)).toBe(false)
})

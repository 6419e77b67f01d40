import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { buildToken, decodeToken, signWithForeignKey } from '../support/jwt.ts'
import { confirmLogout, findLogoutForm, isSignedIn, logOut } from '../support/logout.ts'
import { getTokens, getUserinfo } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { type Fields, POST_LOGOUT_URI, unique } from '../support/service.ts'

const ONLY_B = 'https://b.blackbox.test/goodbye'
const application = await newApplication()
const spa = await newClient(application, 'SPA')
await newClient(application, 'WEB', { postLogoutRedirectUris: [ONLY_B] })
const someone = await newPerson()

async function newSession() {
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

/** Expects a page without a link to the requested URI. */
async function expectRefusedUri(response: Response) {
  expectPage(response)
  const text = await response.text()
  expect(text).toMatch(NOT_REGISTERED)
  expect(text).not.toContain('evil.test')
}

// An expired hint needs the clock: the server tests cover it.
test.each(['GET', 'POST'])(
  'T080: %s with hint, URI and state ends the session and returns the state',
  async (method) => {
    const { browser, hint } = await newSession()
    const state = 's&=#+%é'.padEnd(128, 'x')
    const fields = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI, state }
    const response = await logOut(browser, fields, method)
    expect([302, 303]).toContain(response.status)
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(POST_LOGOUT_URI)
    expect(Object.fromEntries(location.searchParams)).toEqual({ state })
    expect(await isSignedIn(browser, spa)).toBe(false)
  },
)

test('T080: without a cookie, the hint selects the session to end', async () => {
  const { browser, tokens, hint } = await newSession()
  const fields = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI }
  expect((await logOut(openBrowser(), fields)).headers.get('location')).toBe(POST_LOGOUT_URI)
  expect(await isSignedIn(browser, spa)).toBe(false)
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
})

test('T080: a repeated logout redirects again', async () => {
  const { browser, hint } = await newSession()
  const fields = { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI }
  await logOut(browser, fields)
  expect((await logOut(browser, fields)).headers.get('location')).toBe(POST_LOGOUT_URI)
})

test.each([
  'https://evil.test/',
  `${POST_LOGOUT_URI}?added=1`,
  `${POST_LOGOUT_URI}#fragment`,
  `${POST_LOGOUT_URI}more`,
  POST_LOGOUT_URI.slice(0, -1),
  POST_LOGOUT_URI.replace('8080', '8081'),
  POST_LOGOUT_URI.replace('http:', 'https:'),
  POST_LOGOUT_URI.replace('localhost', 'LOCALHOST'),
  POST_LOGOUT_URI.replace('localhost', 'localhost@evil.test'),
  '//evil.test/',
  '/',
])(
  'T081: the URI %s is not registered: the session ends with a page that says so',
  async (post_logout_redirect_uri) => {
    const { browser, hint } = await newSession()
    await expectRefusedUri(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri }))
    expect(await isSignedIn(browser, spa)).toBe(false)
  },
)

test('T081: an unregistered URI is reported in every variant of the request', async () => {
  const post_logout_redirect_uri = 'https://evil.test/'
  const { browser, hint } = await newSession()
  await expectRefusedUri(await logOut(openBrowser(), { id_token_hint: hint, post_logout_redirect_uri }))
  await expectRefusedUri(await logOut(openBrowser(), { post_logout_redirect_uri }))
  const again = await someone.signIn()
  const question = await logOut(again, { post_logout_redirect_uri })
  await expectRefusedUri(question.clone())
  expect(await isSignedIn(again, spa)).toBe(true)
  expectPage(await confirmLogout(again, question))
  expect(await isSignedIn(again, spa)).toBe(false)
  expect(await isSignedIn(browser, spa)).toBe(false)
})

test('T081: a logout without a URI shows that the person is signed out, and no error', async () => {
  const { browser, hint } = await newSession()
  const page = await logOut(browser, { id_token_hint: hint })
  expect(page.status).toBe(200)
  const text = await page.text()
  expect(text).toMatch(/you are signed out/i)
  expect(text).not.toMatch(NOT_REGISTERED)
})

test.each<[string, (hint: string) => string]>([
  ['alg none', (hint) => buildToken({ alg: 'none' }, decodeToken(hint).payload)],
  [
    'a foreign key',
    (hint) => {
      const { header, payload } = decodeToken(hint)
      return buildToken(header, payload, signWithForeignKey)
    },
  ],
  [
    'another subject',
    (hint) => {
      const { header, payload, signature } = decodeToken(hint)
      return buildToken(header, { ...payload, sub: 'somebody else' }, signature)
    },
  ],
  ['garbage', () => 'garbage'],
  ['an empty value', () => ''],
])('T081: a hint of %s is ignored: no redirect, and the session stays', async (_, forge) => {
  const { browser, hint } = await newSession()
  const fields = { id_token_hint: forge(hint), post_logout_redirect_uri: POST_LOGOUT_URI }
  for (const method of ['GET', 'POST']) expectPage(await logOut(browser, fields, method))
  expect(await isSignedIn(browser, spa)).toBe(true)
})

test('T081: an access token is not a hint', async () => {
  const { browser, tokens } = await newSession()
  expectPage(await logOut(browser, { id_token_hint: tokens.access_token, post_logout_redirect_uri: POST_LOGOUT_URI }))
  expect(await isSignedIn(browser, spa)).toBe(true)
})

test('T081: the hint of another person requires a confirmation', async () => {
  const { browser } = await newSession()
  const other = await newPerson()
  const { id_token } = await getTokens(await other.signIn(), spa)
  expectPage(await logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI }))
  expect(await isSignedIn(browser, spa)).toBe(true)
})

test.each<[string, Fields, string | null]>([
  [
    'an address that some client registered is followed',
    { post_logout_redirect_uri: POST_LOGOUT_URI },
    POST_LOGOUT_URI,
  ],
  ['an unregistered URI shows a page', { post_logout_redirect_uri: 'https://evil.test/' }, null],
  ['no URI shows a page', {}, null],
])('T081: without hint and session, %s', async (_, fields, expected) => {
  const response = await logOut(openBrowser(), fields)
  expect(response.headers.get('location')).toBe(expected)
})

test('T082: the hint of one client does not allow the URI of another', async () => {
  const { browser, hint } = await newSession()
  await expectRefusedUri(await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: ONLY_B }))
})

test('T082: without a hint, the URI must be registered for the given client', async () => {
  const fields = { client_id: spa.clientId, post_logout_redirect_uri: ONLY_B }
  await expectRefusedUri(await logOut(openBrowser(), fields))
  const own = { client_id: spa.clientId, post_logout_redirect_uri: POST_LOGOUT_URI }
  expect((await logOut(openBrowser(), own)).headers.get('location')).toBe(POST_LOGOUT_URI)
  const unknown = { client_id: unique('nobody'), post_logout_redirect_uri: POST_LOGOUT_URI }
  await expectRefusedUri(await logOut(openBrowser(), unknown))
})

describe('without a hint', () => {
  test('T084: a GET, as from an image, ends nothing without a confirmation', async () => {
    const { browser, tokens } = await newSession()
    const page = await logOut(browser, {})
    expectPage(page)
    expect(await isSignedIn(browser, spa)).toBe(true)
    expect((await getUserinfo(tokens.access_token)).status).toBe(200)
    await confirmLogout(browser, page)
    expect(await isSignedIn(browser, spa)).toBe(false)
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  })

  test('T084: a POST without the CSRF token of the page ends nothing', async () => {
    const { browser } = await newSession()
    const form = await findLogoutForm(await logOut(browser, {}))
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
    const { browser } = await newSession()
    const headers = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    await browser.post('/api/oauth/logout', {}, headers)
    const form = await findLogoutForm(await logOut(browser, {}))
    if (!form) throw new Error('there is nothing to confirm')
    await browser.post(form.action, form.fields, headers)
    expect(await isSignedIn(browser, spa)).toBe(true)
  })

  test('T084: the CSRF token of another browser ends nothing', async () => {
    const [victim, attacker] = [await newSession(), await newSession()]
    const form = await findLogoutForm(await logOut(attacker.browser, {}))
    if (!form) throw new Error('there is nothing to confirm')
    const pressed = form.buttons.flatMap(({ name, value }) => (name ? [[name, value]] : []))
    await victim.browser.post(form.action, { ...form.fields, ...Object.fromEntries(pressed) })
    expect(await isSignedIn(victim.browser, spa)).toBe(true)
  })
})

import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { buildToken, decodeToken, signWithForeignKey } from '../support/jwt.ts'
import { confirmLogout, findLogoutForm, isSignedIn, logOut } from '../support/logout.ts'
import { getTokens } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, type Fields, POST_LOGOUT_URI, readResponse } from '../support/service.ts'

// The modules of the oidcc-rp-initiated-logout-certification-test-plan, one test per module.
const client = await newClient(await newApplication(), 'WEB')
const someone = await newPerson()

/** Signs in, logs out with `fields` applied to the ID token, and returns the last response. */
async function signInAndLogOut(fields: (hint: string) => Fields) {
  const browser = await someone.signIn()
  const { id_token } = await getTokens(browser, client)
  const response = await logOut(browser, fields(id_token))
  return { browser, response, location: response.headers.get('location') }
}

test('oidcc-rp-initiated-logout-discovery-endpoint-verification: end_session_endpoint is published', async () => {
  const { body } = await readResponse(await fetch(`${baseUrl}/.well-known/openid-configuration`))
  expect(body.end_session_endpoint).toBe(`${baseUrl}/api/oauth/logout`)
})

test('oidcc-rp-initiated-logout: redirects with a state of 128 characters, and the person is signed out', async () => {
  const state = 's'.repeat(128)
  const { browser, location } = await signInAndLogOut((hint) => ({
    id_token_hint: hint,
    post_logout_redirect_uri: POST_LOGOUT_URI,
    state,
  }))
  expect(location).toBe(`${POST_LOGOUT_URI}?state=${state}`)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test('oidcc-rp-initiated-logout-no-state: redirects without state, and the person is signed out', async () => {
  const { browser, location } = await signInAndLogOut((hint) => ({
    id_token_hint: hint,
    post_logout_redirect_uri: POST_LOGOUT_URI,
  }))
  expect(location).toBe(POST_LOGOUT_URI)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test('a script of another site ends the session with the hint in the body of a request without cookies', async () => {
  const browser = await someone.signIn()
  const { id_token } = await getTokens(browser, client)
  const response = await fetch(`${baseUrl}/api/oauth/logout`, {
    method: 'POST',
    // Sets Sec-Fetch-Mode.
    mode: 'no-cors',
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://app.test' },
    body: new URLSearchParams({ id_token_hint: id_token }),
    redirect: 'manual',
  })
  expect(response.status).toBe(200)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test.each<[string, (hint: string) => Fields]>([
  [
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: 'https://evil.test/' }),
  ],
  [
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${POST_LOGOUT_URI}?foo=bar` }),
  ],
])('%s: shows an error page and never redirects', async (_, fields) => {
  const { response, location } = await signInAndLogOut(fields)
  expect(location).toBeNull()
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  const text = await response.text()
  expect(text).toMatch(/role="alert"/)
  expect(text).toMatch(/not registered/)
})

test.each<[string, (hint: string) => Fields]>([
  [
    'oidcc-rp-initiated-logout-modified-id-token-hint',
    (hint) => ({
      id_token_hint: buildToken({ alg: 'none' }, decodeToken(hint).payload),
      post_logout_redirect_uri: POST_LOGOUT_URI,
    }),
  ],
  [
    'oidcc-rp-initiated-logout-bad-id-token-hint',
    (hint) => {
      const { header, payload } = decodeToken(hint)
      const foreign = buildToken(header, payload, signWithForeignKey)
      return { id_token_hint: foreign, post_logout_redirect_uri: POST_LOGOUT_URI }
    },
  ],
  ['oidcc-rp-initiated-logout-no-id-token-hint', () => ({ post_logout_redirect_uri: POST_LOGOUT_URI })],
])('%s: asks for confirmation and never redirects', async (_, fields) => {
  const { browser, response, location } = await signInAndLogOut(fields)
  expect(location).toBeNull()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(await findLogoutForm(response)).toBeDefined()
  expect(await isSignedIn(browser, client)).toBe(true)
})

test.each<[string, Fields]>([
  ['oidcc-rp-initiated-logout-no-params', {}],
  ['oidcc-rp-initiated-logout-only-state', { state: 'a state' }],
])('%s: asks for confirmation, then the person is signed out and sees a message', async (_, fields) => {
  const { browser, response } = await signInAndLogOut(() => fields)
  expect(response.status).toBe(200)
  const done = await confirmLogout(browser, response)
  expect(done.status).toBe(200)
  expect(await done.text()).toMatch(/(signed|logged) out/i)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: the person is signed out and sees a message', async () => {
  const { browser, response } = await signInAndLogOut((hint) => ({ id_token_hint: hint }))
  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(/(signed|logged) out/i)
  expect(await isSignedIn(browser, client)).toBe(false)
})

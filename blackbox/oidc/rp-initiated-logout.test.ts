import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { joinToken, signAsStranger, splitToken } from '../support/jwt.ts'
import { confirmLogout, isSignedIn, logOut, logoutForm } from '../support/logout.ts'
import { getTokens } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { base, type Fields, GOODBYE, read } from '../support/service.ts'

// The modules of the oidcc-rp-initiated-logout-certification-test-plan, each as one test of its name.
const client = await newClient(await newApplication(), 'WEB')
const someone = await newPerson()

/** Signs in, logs out with what `fields` makes of the ID token, and returns where that ended. */
async function run(fields: (hint: string) => Fields) {
  const browser = await someone.signIn()
  const { id_token } = await getTokens(browser, client)
  const response = await logOut(browser, fields(id_token))
  return { browser, response, location: response.headers.get('location') }
}

test('oidcc-rp-initiated-logout-discovery-endpoint-verification: end_session_endpoint is published', async () => {
  const { body } = await read(await fetch(`${base}/.well-known/openid-configuration`))
  expect(body.end_session_endpoint).toBe(`${base}/api/oauth/logout`)
})

test('oidcc-rp-initiated-logout: redirects with a state of 128 characters, and the person is signed out', async () => {
  const state = 's'.repeat(128)
  const { browser, location } = await run((hint) => ({
    id_token_hint: hint,
    post_logout_redirect_uri: GOODBYE,
    state,
  }))
  expect(location).toBe(`${GOODBYE}?state=${state}`)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test('oidcc-rp-initiated-logout-no-state: redirects without state, and the person is signed out', async () => {
  const { browser, location } = await run((hint) => ({
    id_token_hint: hint,
    post_logout_redirect_uri: GOODBYE,
  }))
  expect(location).toBe(GOODBYE)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test.each<[string, (hint: string) => Fields]>([
  [
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: 'https://evil.test/' }),
  ],
  [
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${GOODBYE}?foo=bar` }),
  ],
])('%s: shows an error page and never redirects', async (_, fields) => {
  const { response, location } = await run(fields)
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
      id_token_hint: joinToken({ alg: 'none' }, splitToken(hint).payload),
      post_logout_redirect_uri: GOODBYE,
    }),
  ],
  [
    'oidcc-rp-initiated-logout-bad-id-token-hint',
    (hint) => {
      const { header, payload } = splitToken(hint)
      const foreign = joinToken(header, payload, signAsStranger)
      return { id_token_hint: foreign, post_logout_redirect_uri: GOODBYE }
    },
  ],
  ['oidcc-rp-initiated-logout-no-id-token-hint', () => ({ post_logout_redirect_uri: GOODBYE })],
])('%s: asks the person and never redirects', async (_, fields) => {
  const { browser, response, location } = await run(fields)
  expect(location).toBeNull()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(await logoutForm(response)).toBeDefined()
  expect(await isSignedIn(browser, client)).toBe(true)
})

test.each<[string, Fields]>([
  ['oidcc-rp-initiated-logout-no-params', {}],
  ['oidcc-rp-initiated-logout-only-state', { state: 'a state' }],
])('%s: asks first, then the person is signed out and told so', async (_, fields) => {
  const { browser, response } = await run(() => fields)
  expect(response.status).toBe(200)
  const done = await confirmLogout(browser, response)
  expect(done.status).toBe(200)
  expect(await done.text()).toMatch(/(signed|logged) out/i)
  expect(await isSignedIn(browser, client)).toBe(false)
})

test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: the person is signed out and told so', async () => {
  const { browser, response } = await run((hint) => ({ id_token_hint: hint }))
  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(/(signed|logged) out/i)
  expect(await isSignedIn(browser, client)).toBe(false)
})

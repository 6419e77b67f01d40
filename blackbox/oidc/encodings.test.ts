import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { call } from '../support/calls.ts'
import { otherEncodings } from '../support/encodings.ts'
import { isSignedIn, logOut } from '../support/logout.ts'
import { findToken, listMails } from '../support/mail.ts'
import {
  authorize,
  bearer,
  exchangeCode,
  getCode,
  getTokens,
  getUserinfo,
  introspectToken,
  readRedirect,
  refreshTokens,
  revokeToken,
} from '../support/oauth.ts'
import { findLoginForm, readForms, submitForm } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, POST_LOGOUT_URI } from '../support/service.ts'
import { invite, newCaller, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

// A token has one valid encoding. Another encoding of the same bytes would bypass revocation lists and caches.

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()
const newTokens = async () => getTokens(await someone.signIn(), spa)

const ROUTES = ['/api/oauth/userinfo', '/api/users/me', '/api/tenants', '/api/admin/clients']
/** Encodings that reach the service: the HTTP parser removes whitespace around a header value. */
const isHeaderSafe = ([name]: [string, string]) => !/line break|space after|space before|tab/.test(name)

describe('T068: in another encoding', () => {
  test('an access token is refused by every route', async () => {
    const { access_token } = await newTokens()
    const encodings = otherEncodings(access_token)
    expect(encodings.filter(([name]) => name.startsWith('the tail'))).toHaveLength(15)
    for (const [name, token] of encodings.filter(isHeaderSafe)) {
      for (const route of ROUTES) {
        const { status } = await fetch(baseUrl + route, { headers: bearer(token) })
        expect(status, `${name} at ${route}`).toBe(401)
      }
    }
    expect((await getUserinfo(access_token)).status).toBe(200)
  })

  test('access and refresh tokens are unknown to introspection and revocation', async () => {
    const tokens = await newTokens()
    for (const genuine of [tokens.access_token, tokens.refresh_token]) {
      for (const [name, token] of otherEncodings(genuine)) {
        expect((await introspectToken(web, token)).body, name).toEqual({ active: false })
        expect((await revokeToken(spa, token)).status, name).toBe(200)
      }
      expect((await introspectToken(web, genuine)).body).toMatchObject({ active: true })
    }
  })

  test('a code and a refresh token are invalid, and the right ones stay valid', async () => {
    const code = await getCode(await someone.signIn(), spa, { scope: 'openid offline_access' })
    for (const [name, encoded] of otherEncodings(code)) {
      expect((await exchangeCode(spa, encoded)).body, name).toMatchObject({ error: 'invalid_grant' })
    }
    const { body: tokens } = await exchangeCode(spa, code)
    for (const [name, encoded] of otherEncodings(tokens.refresh_token)) {
      expect((await refreshTokens(spa, encoded)).body, name).toMatchObject({ error: 'invalid_grant' })
    }
    expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(200)
  })

  test('an ID token is not a hint', async () => {
    const browser = await someone.signIn()
    const { id_token } = await getTokens(browser, spa)
    for (const [name, id_token_hint] of otherEncodings(id_token)) {
      const redirect = readRedirect(await authorize(browser, spa, { prompt: 'none', id_token_hint }))
      expect(redirect, name).toMatchObject({ error: 'invalid_request' })
      const page = await logOut(browser, { id_token_hint, post_logout_redirect_uri: POST_LOGOUT_URI })
      expect(page.headers.has('location'), name).toBe(false)
    }
    expect(await isSignedIn(browser, spa)).toBe(true)
  })

  test('a session cookie is not a session', async () => {
    const browser = await someone.signIn()
    const [name, value] = [...browser.cookies].find(([cookie]) => cookie.endsWith('latchkey_session')) ?? []
    if (name === undefined || value === undefined) throw new Error('no cookie')
    const me = (encoded: string) => fetch(`${baseUrl}/api/users/me`, { headers: { cookie: `${name}=${encoded}` } })
    for (const [how, encoded] of otherEncodings(value).filter(isHeaderSafe)) {
      expect((await me(encoded)).status, how).toBe(401)
    }
    expect((await me(value)).status).toBe(200)
  })

  test('a mailed link is invalid, and the right one stays valid', async () => {
    const { email } = await newPerson()
    const token = findToken((await listMails(email))[0]) ?? ''
    const verify = (encoded: string) => call('POST', '/api/auth/email/verify', { body: { token: encoded } })
    for (const [name, encoded] of otherEncodings(token)) {
      expect((await verify(encoded)).body, name).toMatchObject({ error: 'INVALID_TOKEN' })
    }
    expect((await verify(token)).status).toBe(200)
  })

  test('an invitation link is unknown, and the right one stays valid', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const { person, headers } = await newCaller()
    await invite(owner.headers, tenant.id, { email: person.email })
    const token = await waitForInvitationToken(person.email)
    const accept = (encoded: string) =>
      call('POST', `/api/invitations/${encodeURIComponent(encoded)}/accept`, { headers, body: {} })
    for (const [name, encoded] of otherEncodings(token)) expect((await accept(encoded)).status, name).toBe(404)
    expect((await accept(token)).status).toBe(200)
  })
})

describe('T068: in another encoding, signed values in pages', () => {
  /** The sign-in page of an authorization request. */
  async function openLoginPage(browser: Browser) {
    const page = await authorize(browser, spa)
    const form = findLoginForm(await readForms(page))
    if (!form) throw new Error('no form')
    return form
  }
  const login = { email: someone.email, password: someone.password }

  test('are not valid as CSRF tokens', async () => {
    const browser = openBrowser()
    const form = await openLoginPage(browser)
    const [field, value] = Object.entries(form.fields).find(([name]) => /csrf/i.test(name)) ?? []
    if (field === undefined || value === undefined) throw new Error('no protection')
    for (const [name, encoded] of otherEncodings(value)) {
      expect((await submitForm(browser, form, { ...login, [field]: encoded })).status, name).toBe(403)
    }
    expect((await submitForm(browser, form, login)).status).toBe(303)
  })

  test('do not redirect', async () => {
    const browser = openBrowser()
    const { action } = await openLoginPage(browser)
    const journey = new URL(action).searchParams.get('journey') ?? ''
    const page = async (encoded: string) =>
      (await browser.get(`/login?${new URLSearchParams({ journey: encoded })}`)).text()
    expect(await page(journey)).toContain('to continue to')
    for (const [name, encoded] of otherEncodings(journey)) {
      expect(await page(encoded), name).not.toContain('to continue to')
    }
  })
})

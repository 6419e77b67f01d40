import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { call } from '../support/calls.ts'
import { isSignedIn, logOut } from '../support/logout.ts'
import { mailTo, tokenIn } from '../support/mail.ts'
import {
  authorize,
  bearer,
  exchange,
  getCode,
  getTokens,
  introspect,
  landing,
  refresh,
  revoke,
  userinfo,
} from '../support/oauth.ts'
import { loginForm, readForms, submit } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { base, GOODBYE } from '../support/service.ts'
import { otherSpellings } from '../support/spellings.ts'
import { invitationTokenFor, invite, newInsider, newOwnedTenant } from '../support/tenants.ts'

// A token has one spelling. Another text with the same bytes would slip through every list that names the token.

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()
const newTokens = async () => getTokens(await someone.signIn(), spa)

const DOORS = ['/api/oauth/userinfo', '/api/users/me', '/api/tenants', '/api/admin/clients']
/** What the parser of HTTP leaves to us. Whitespace around a header's value is no part of it. */
const fitsHeader = ([name]: [string, string]) => !/line break|space after|space before|tab/.test(name)

describe('T068: in another spelling', () => {
  test('an access token is nobody at every door', async () => {
    const { access_token } = await newTokens()
    const spellings = otherSpellings(access_token)
    expect(spellings.filter(([name]) => name.startsWith('the tail'))).toHaveLength(15)
    for (const [name, token] of spellings.filter(fitsHeader)) {
      for (const door of DOORS) {
        const { status } = await fetch(base + door, { headers: bearer(token) })
        expect(status, `${name} at ${door}`).toBe(401)
      }
    }
    expect((await userinfo(access_token)).status).toBe(200)
  })

  test('access and refresh tokens are unknown to introspection and revocation', async () => {
    const tokens = await newTokens()
    for (const genuine of [tokens.access_token, tokens.refresh_token]) {
      for (const [name, token] of otherSpellings(genuine)) {
        expect((await introspect(web, token)).body, name).toEqual({ active: false })
        expect((await revoke(spa, token)).status, name).toBe(200)
      }
      expect((await introspect(web, genuine)).body).toMatchObject({ active: true })
    }
  })

  test('a code and a refresh token are invalid, and cost the right one nothing', async () => {
    const code = await getCode(await someone.signIn(), spa, { scope: 'openid offline_access' })
    for (const [name, spelt] of otherSpellings(code)) {
      expect((await exchange(spa, spelt)).body, name).toMatchObject({ error: 'invalid_grant' })
    }
    const { body: tokens } = await exchange(spa, code)
    for (const [name, spelt] of otherSpellings(tokens.refresh_token)) {
      expect((await refresh(spa, spelt)).body, name).toMatchObject({ error: 'invalid_grant' })
    }
    expect((await refresh(spa, tokens.refresh_token)).status).toBe(200)
  })

  test('an ID token is no hint', async () => {
    const browser = await someone.signIn()
    const { id_token } = await getTokens(browser, spa)
    for (const [name, id_token_hint] of otherSpellings(id_token)) {
      const asked = landing(await authorize(browser, spa, { prompt: 'none', id_token_hint }))
      expect(asked, name).toMatchObject({ error: 'invalid_request' })
      const page = await logOut(browser, { id_token_hint, post_logout_redirect_uri: GOODBYE })
      expect(page.headers.has('location'), name).toBe(false)
    }
    expect(await isSignedIn(browser, spa)).toBe(true)
  })

  test('the cookie of a session signs nobody in', async () => {
    const browser = await someone.signIn()
    const [name, value] = [...browser.cookies].find(([cookie]) => cookie.endsWith('latchkey_session')) ?? []
    if (name === undefined || value === undefined) throw new Error('no cookie')
    const me = (spelt: string) => fetch(`${base}/api/users/me`, { headers: { cookie: `${name}=${spelt}` } })
    for (const [how, spelt] of otherSpellings(value).filter(fitsHeader)) {
      expect((await me(spelt)).status, how).toBe(401)
    }
    expect((await me(value)).status).toBe(200)
  })

  test('the link of a mail is invalid, and costs the right one nothing', async () => {
    const { email } = await newPerson()
    const token = tokenIn((await mailTo(email))[0]) ?? ''
    const verify = (spelt: string) => call('POST', '/api/auth/email/verify', { body: { token: spelt } })
    for (const [name, spelt] of otherSpellings(token)) {
      expect((await verify(spelt)).body, name).toMatchObject({ error: 'INVALID_TOKEN' })
    }
    expect((await verify(token)).status).toBe(200)
  })

  test('the link of an invitation is unknown, and costs the right one nothing', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const { person, headers } = await newInsider()
    await invite(owner.headers, tenant.id, { email: person.email })
    const token = await invitationTokenFor(person.email)
    const accept = (spelt: string) =>
      call('POST', `/api/invitations/${encodeURIComponent(spelt)}/accept`, { headers, body: {} })
    for (const [name, spelt] of otherSpellings(token)) expect((await accept(spelt)).status, name).toBe(404)
    expect((await accept(token)).status).toBe(200)
  })
})

describe('T068: in another spelling, what travels through the browser sealed', () => {
  /** The sign-in page on the way to an application. */
  async function atLogin(browser: Browser) {
    const page = await authorize(browser, spa)
    const form = loginForm(await readForms(page))
    if (!form) throw new Error('no form')
    return form
  }
  const login = { email: someone.email, password: someone.password }

  test('does not protect a form', async () => {
    const browser = openBrowser()
    const form = await atLogin(browser)
    const [field, value] = Object.entries(form.fields).find(([name]) => /csrf/i.test(name)) ?? []
    if (field === undefined || value === undefined) throw new Error('no protection')
    for (const [name, spelt] of otherSpellings(value)) {
      expect((await submit(browser, form, { ...login, [field]: spelt })).status, name).toBe(403)
    }
    expect((await submit(browser, form, login)).status).toBe(303)
  })

  test('leads nowhere', async () => {
    const browser = openBrowser()
    const { action } = await atLogin(browser)
    const journey = new URL(action).searchParams.get('journey') ?? ''
    const page = async (spelt: string) =>
      (await browser.get(`/login?${new URLSearchParams({ journey: spelt })}`)).text()
    expect(await page(journey)).toContain('to continue to')
    for (const [name, spelt] of otherSpellings(journey)) {
      expect(await page(spelt), name).not.toContain('to continue to')
    }
  })
})

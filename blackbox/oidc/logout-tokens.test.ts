import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { isSignedIn, logOut } from '../support/logout.ts'
import {
  ALL_SCOPES,
  authorize,
  type Client,
  exchangeCode,
  getTokens,
  getUserinfo,
  introspectToken,
  readRedirect,
  refreshTokens,
  type Tokens,
} from '../support/oauth.ts'
import { completePages } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { POST_LOGOUT_URI } from '../support/service.ts'

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const thirdPartyApplication = await newApplication({ trusted: false })
const someone = await newPerson()

async function getTokensWithConsent(browser: Browser, client: Client): Promise<Tokens> {
  const page = await authorize(browser, client, { scope: ALL_SCOPES })
  const { code = '' } = readRedirect(await completePages(browser, page, someone))
  return (await exchangeCode(client, code)).body
}

async function newSession() {
  const browser = await someone.signIn()
  const tokens = await getTokens(browser, spa)
  return { browser, tokens, hint: tokens.id_token }
}

test('T085: logout revokes the tokens of this session for all clients, and none of other sessions', async () => {
  const [session, otherSession] = [await newSession(), await newSession()]
  const sibling = await getTokens(session.browser, web)
  await logOut(session.browser, { id_token_hint: session.hint, post_logout_redirect_uri: POST_LOGOUT_URI })
  for (const { access_token, refresh_token } of [session.tokens, sibling]) {
    expect((await getUserinfo(access_token)).status).toBe(401)
    expect((await introspectToken(web, refresh_token)).body).toEqual({ active: false })
  }
  expect((await refreshTokens(spa, session.tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await refreshTokens(web, sibling.refresh_token)).body.error).toBe('invalid_grant')
  expect((await getUserinfo(otherSession.tokens.access_token)).status).toBe(200)
  expect((await refreshTokens(spa, otherSession.tokens.refresh_token)).status).toBe(200)
  expect(await isSignedIn(otherSession.browser, spa)).toBe(true)
})

describe('a third-party application', () => {
  async function signInThirdParty(browser: Browser) {
    const client = await newClient(thirdPartyApplication, 'WEB')
    return { client, tokens: await getTokensWithConsent(browser, client) }
  }

  test('T085: its server, with a hint and without a cookie, ends its own tokens and nothing else', async () => {
    const { browser, tokens } = await newSession()
    const [one, other] = [await signInThirdParty(browser), await signInThirdParty(browser)]
    const otherTokens = await getTokensWithConsent(await someone.signIn(), one.client)
    const fields = {
      id_token_hint: one.tokens.id_token,
      post_logout_redirect_uri: POST_LOGOUT_URI,
      state: 'kept',
    }
    const response = await logOut(openBrowser(), fields)
    expect(response.headers.get('location')).toBe(`${POST_LOGOUT_URI}?state=kept`)
    expect((await getUserinfo(one.tokens.access_token)).status).toBe(401)
    expect((await refreshTokens(one.client, one.tokens.refresh_token)).body.error).toBe('invalid_grant')
    // The session stays, for other applications here and for this one in another browser.
    expect(await isSignedIn(browser, spa)).toBe(true)
    for (const { access_token } of [tokens, other.tokens, otherTokens]) {
      expect((await getUserinfo(access_token)).status).toBe(200)
    }
    expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(200)
    expect((await refreshTokens(other.client, other.tokens.refresh_token)).status).toBe(200)
    // A repetition has nothing to end, and the response is the same.
    const repeated = await logOut(openBrowser(), fields, 'POST')
    expect(repeated.headers.get('location')).toBe(`${POST_LOGOUT_URI}?state=kept`)
    expect(await isSignedIn(browser, spa)).toBe(true)
  })

  test('T085: with the cookie of the person, the session ends', async () => {
    const { browser, tokens } = await newSession()
    const { tokens: given } = await signInThirdParty(browser)
    await logOut(browser, { id_token_hint: given.id_token, post_logout_redirect_uri: POST_LOGOUT_URI })
    expect(await isSignedIn(browser, spa)).toBe(false)
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  })
})

test('T085: the cookie of an ended session is refused, also if it is restored', async () => {
  const { browser, hint } = await newSession()
  const kept = new Map(browser.cookies)
  await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI })
  for (const [name, value] of kept) browser.cookies.set(name, value)
  expect(await isSignedIn(browser, spa)).toBe(false)
})

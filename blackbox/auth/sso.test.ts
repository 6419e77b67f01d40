import { describe, expect, test } from 'vitest'
import { client, getAccountTokens } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { listMails } from '../support/mail.ts'
import { authorizationRequest, exchangeCode, getTokens, readRedirect } from '../support/oauth.ts'
import type { ProviderAccount } from '../support/open-id-provider.ts'
import { followRedirects } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { baseUrl, encodeFields } from '../support/service.ts'
import { findSessionCookie, hasSession, postAuth, TIMESTAMP, UUID } from '../support/sign-in.ts'
import {
  issuers,
  newProviderAccount,
  signInAtProvider,
  signInWithProvider,
  startProviderSignIn,
} from '../support/sso.ts'

const readProfile = async (browser: Browser) => (await (await browser.get('/api/users/me')).json()) as object
const listLinks = async (browser: Browser) => (await browser.get('/api/users/me/sso')).json()
const ACCOUNT_PAGE = [303, `${baseUrl}/account`]
const toRedirect = ({ status, headers }: Response) => [status, new URL(headers.get('location') ?? '', baseUrl).href]

/** Expects an error page with a link back, and no session. */
async function expectRefused(browser: Browser, response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  const page = await response.text()
  expect(page).toMatch(/role="alert"/)
  expect(page).toContain('href="/login"')
  expect(findSessionCookie(browser)).toBeUndefined()
  expect(await hasSession(browser)).toBe(false)
  return page
}

describe.skipIf(!issuers.google)('signing in with a provider', () => {
  test.each([
    ['google', 'GOOGLE'],
    ['acme', 'ACME'],
  ] as const)('%s: the first sign-in creates an account, and later ones use it', async (path, provider) => {
    const providerAccount = newProviderAccount()
    const browser = openBrowser()
    expect(toRedirect(await signInWithProvider(path, browser, providerAccount))).toEqual(ACCOUNT_PAGE)
    const first = await readProfile(browser)
    expect(first).toMatchObject({
      id: expect.stringMatching(UUID),
      email: providerAccount.email,
      emailVerified: true,
      displayName: 'Nora New',
      givenName: 'Nora',
      familyName: 'New',
      pictureUrl: 'https://elsewhere.test/nora.png',
      mfaEnabled: false,
      memberships: [],
    })
    const at = expect.stringMatching(TIMESTAMP)
    const named = {
      email: providerAccount.email,
      displayName: 'Nora New',
      avatarUrl: providerAccount.picture,
    }
    expect(await listLinks(browser)).toEqual({
      links: [{ provider, ...named, linkedAt: at, lastUsedAt: at }],
    })
    const { amr } = await verifyAccessToken((await getTokens(browser, client)).access_token)
    expect(amr).toEqual(['fed'])

    const again = openBrowser()
    const renamedAccount = { ...providerAccount, email: newProviderAccount().email, name: 'Somebody Else' }
    expect(toRedirect(await signInWithProvider(path, again, renamedAccount))).toEqual(ACCOUNT_PAGE)
    expect(await readProfile(again)).toEqual(first)
    expect(await listLinks(again)).toMatchObject({
      links: [{ email: renamedAccount.email, displayName: 'Somebody Else' }],
    })
  })

  test('the page lists each provider by name', async () => {
    const page = await (await openBrowser().get('/login')).text()
    for (const [path, label] of [
      ['/sso/google', 'Google'],
      ['/sso/acme', 'Acme'],
    ]) {
      expect(page).toMatch(new RegExp(`href="${path}"[^>]*>[^<]*${label}`))
    }
  })

  test('continues to the application that requested the sign-in', async () => {
    const browser = openBrowser()
    const request = authorizationRequest(client)
    const page = await followRedirects(browser, await browser.get(`/oauth/authorize?${encodeFields(request)}`))
    const [, link = ''] = /href="(\/sso\/google[^"]*)"/.exec(await page.text()) ?? []
    const redirect = await browser.get(link.replaceAll('&amp;', '&'))
    const callback = await signInAtProvider(redirect.headers.get('location') ?? '', newProviderAccount())
    const response = readRedirect(await followRedirects(browser, await browser.get(callback)))
    expect(response.state).toBe(request.state)
    expect((await exchangeCode(client, response.code ?? '')).status).toBe(200)
  })

  test.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '3600' }])(
    'T023: %j is not satisfied by a provider that does not return auth_time',
    async (parameters) => {
      const browser = openBrowser()
      const request = authorizationRequest(client, parameters)
      const page = await followRedirects(browser, await browser.get(`/oauth/authorize?${encodeFields(request)}`))
      const [, link = ''] = /href="(\/sso\/acme[^"]*)"/.exec(await page.text()) ?? []
      const redirect = await browser.get(link.replaceAll('&amp;', '&'))
      const address = new URL(redirect.headers.get('location') ?? '')
      expect(address.searchParams.get('max_age')).toBe(parameters.max_age ?? '0')
      // The user changes the parameters that the provider receives.
      for (const name of ['prompt', 'max_age']) address.searchParams.delete(name)
      const response = await browser.get(await signInAtProvider(address.href, newProviderAccount()))
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('did not say when you signed in')
      expect(findSessionCookie(browser)).toBeUndefined()
    },
  )

  test('a second factor is required here too', async () => {
    const person = await newConfirmedPerson()
    const providerAccount = newProviderAccount({ email: person.email })
    const { app } = await addAuthenticatorApp(await getAccountTokens(person))
    const browser = openBrowser()
    expect(toRedirect(await signInWithProvider('google', browser, providerAccount))).toEqual([303, `${baseUrl}/mfa`])
    expect(await hasSession(browser)).toBe(false)
    expect((await postAuth(browser, 'mfa', { code: await app.nextCode() })).status).toBe(200)
    expect(await readProfile(browser)).toMatchObject({ email: person.email })
  })
})

describe.skipIf(!issuers.google)('an existing account with the same address', () => {
  test('is linked if both addresses are verified, and the person is notified', async () => {
    const person = await newConfirmedPerson()
    const browser = openBrowser()
    const providerAccount = newProviderAccount({ email: person.email.toUpperCase() })
    expect(toRedirect(await signInWithProvider('google', browser, providerAccount))).toEqual(ACCOUNT_PAGE)
    expect(await readProfile(browser)).toMatchObject({ email: person.email, displayName: 'Sam Someone' })
    expect(await listLinks(browser)).toMatchObject({ links: [{ provider: 'GOOGLE', email: person.email }] })
    const subjects = (await listMails(person.email)).map(({ subject }) => subject)
    expect(subjects).toContain('A sign-in provider was linked')
  })

  const unverifiedAccounts: [string, (email: string) => ProviderAccount][] = [
    ['unverified at the provider', (email) => newProviderAccount({ email, email_verified: false })],
    ['without email_verified', (email) => ({ sub: newProviderAccount().sub, email, name: 'Nora' })],
  ]
  test.each(unverifiedAccounts)(
    'T113: %s: no link, no session, and the response does not reveal the account',
    async (_, toAccount) => {
      const person = await newConfirmedPerson()
      const pages: string[] = []
      for (const email of [person.email, newProviderAccount().email]) {
        for (const provider of ['google', 'acme'] as const) {
          const browser = openBrowser()
          const response = await signInWithProvider(provider, browser, toAccount(email))
          const page = await expectRefused(browser, response, 403)
          if (provider === 'google') pages.push(page)
        }
      }
      expect(pages[1]).toBe(pages[0])
      expect(await listLinks(await person.signIn())).toEqual({ links: [] })
    },
  )

  test('T113: unverified here: no link, no session', async () => {
    const person = await newPerson()
    const browser = openBrowser()
    const response = await signInWithProvider('google', browser, newProviderAccount({ email: person.email }))
    await expectRefused(browser, response, 403)
    const browserOfOwner = await person.signIn()
    expect(await listLinks(browserOfOwner)).toEqual({ links: [] })
    expect(await readProfile(browserOfOwner)).toMatchObject({ emailVerified: false })
  })

  test('T113: another subject with the same address: no link, no session', async () => {
    const person = await newConfirmedPerson()
    const providerAccount = newProviderAccount({ email: person.email })
    const owner = openBrowser()
    await signInWithProvider('google', owner, providerAccount)
    const before = await listLinks(owner)
    const browser = openBrowser()
    const response = await signInWithProvider('google', browser, newProviderAccount({ email: person.email }))
    await expectRefused(browser, response, 403)
    expect(await listLinks(owner)).toEqual(before)
    // The same subject at two providers is two identities.
    const other = openBrowser()
    await signInWithProvider('acme', other, newProviderAccount({ sub: providerAccount.sub }))
    expect(await readProfile(other)).not.toMatchObject({ email: person.email })
  })
})

describe.skipIf(!issuers.google)('the callback', () => {
  /** A browser that has signed in at the provider, and the callback URL it would open next. */
  async function startCallback() {
    const browser = openBrowser()
    return { browser, callback: await startProviderSignIn(browser, { person: newProviderAccount() }) }
  }
  const withParameter = (callback: string, name: string, value?: string) => {
    const address = new URL(callback)
    if (value === undefined) address.searchParams.delete(name)
    else address.searchParams.set(name, value)
    return address.href
  }

  test('a canceled sign-in creates no session and shows a message', async () => {
    const browser = openBrowser()
    const page = await expectRefused(browser, await signInWithProvider('google', browser, undefined), 400)
    expect(page).toContain('Google')
  })

  test('a wrong or missing state is refused, and does not use up the right one', async () => {
    const { browser, callback } = await startCallback()
    for (const state of ['A'.repeat(43), '', undefined]) {
      await expectRefused(browser, await browser.get(withParameter(callback, 'state', state)), 400)
    }
    expect(toRedirect(await browser.get(callback))).toEqual(ACCOUNT_PAGE)
  })
})

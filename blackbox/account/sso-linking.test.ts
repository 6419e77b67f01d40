import { describe, expect, test } from 'vitest'
import { client, newAccount, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { errorBody } from '../support/calls.ts'
import { listMails } from '../support/mail.ts'
import { getTokens } from '../support/oauth.ts'
import { pressButton, readForms } from '../support/pages.ts'
import { baseUrl, CALLBACK, readResponse } from '../support/service.ts'
import { hasSession, TIMESTAMP } from '../support/sign-in.ts'
import { issuers, newProviderAccount, signInAtProvider, signInWithProvider } from '../support/sso.ts'
import {
  linkProvider,
  listLinks,
  newSignedInPerson,
  type SignedInPerson,
  startLink,
  startLinkInBrowser,
} from '../support/sso-links.ts'

const AT = expect.stringMatching(TIMESTAMP)
const GOOGLE = { provider: 'GOOGLE' }
const listSubjects = async (email: string) => (await listMails(email)).map(({ subject }) => subject)

describe.skipIf(!issuers.google)('linking', () => {
  test('T111: redirects to the provider with state, nonce and PKCE', async () => {
    const { tokens } = await newConfirmedAccount()
    const discovery = await readResponse<{ authorization_endpoint: string }>(
      await fetch(`${issuers.google}/.well-known/openid-configuration`),
    )
    const seen: Record<string, string>[] = []
    for (const provider of ['GOOGLE', 'google']) {
      const { status, body } = await startLink(tokens, { provider })
      expect(status).toBe(200)
      expect(body).toEqual({ url: expect.any(String) })
      const address = new URL(String(body.url))
      expect(address.origin + address.pathname).toBe(discovery.body.authorization_endpoint)
      seen.push(Object.fromEntries(address.searchParams))
    }
    for (const parameters of seen) {
      expect(parameters).toEqual({
        client_id: 'latchkey',
        redirect_uri: `${baseUrl}/sso/google/callback`,
        response_type: 'code',
        scope: 'openid profile email',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      })
    }
    const secrets = seen.flatMap(({ state, nonce, code_challenge }) => [state, nonce, code_challenge])
    expect(new Set(secrets).size).toBe(6)
  })

  test('the link is listed, the person is notified, and the provider then signs in to the account', async () => {
    const visitor = await newSignedInPerson()
    const { person, tokens } = visitor
    const providerAccount = newProviderAccount({ email_verified: false })
    const done = await linkProvider(visitor, 'GOOGLE', providerAccount)
    expect([done.status, new URL(done.headers.get('location') ?? '', baseUrl).href]).toEqual([
      303,
      `${baseUrl}/account`,
    ])
    const shown = {
      provider: 'GOOGLE',
      email: providerAccount.email,
      displayName: 'Nora New',
      avatarUrl: 'https://elsewhere.test/nora.png',
      linkedAt: AT,
      lastUsedAt: AT,
    }
    const before = await listLinks(tokens)
    expect(before).toEqual({ links: [shown] })
    expect(await listSubjects(person.email)).toContain('A sign-in provider was linked')
    expect((await startLink(tokens, { provider: 'google' })).body).toEqual(errorBody(409, 'SSO_ALREADY_LINKED'))

    const otherBrowser = openBrowser()
    await signInWithProvider('google', otherBrowser, { sub: providerAccount.sub, name: 'Nora Newer' })
    expect(await (await otherBrowser.get('/api/users/me')).json()).toMatchObject({
      email: person.email,
      displayName: 'Sam Someone',
    })
    const after = await listLinks(tokens)
    expect(after).toEqual({
      links: [{ ...shown, email: null, displayName: 'Nora Newer', avatarUrl: null }],
    })
    expect(after.links[0]?.linkedAt).toBe(before.links[0]?.linkedAt)
    const moved = Date.parse(after.links[0]?.lastUsedAt ?? '') - Date.parse(before.links[0]?.lastUsedAt ?? '')
    expect(moved).toBeGreaterThan(0)
  })

  test('allows one link per provider', async () => {
    const visitor = await newSignedInPerson()
    await linkProvider(visitor, 'GOOGLE')
    expect((await linkProvider(visitor, 'ACME')).status).toBe(303)
    expect((await listLinks(visitor.tokens)).links.map(({ provider }) => provider)).toEqual(['GOOGLE', 'ACME'])
  })

  test('requires the second factor of a person who has one', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const older = await getTokens(await person.signIn(), client)
    await addAuthenticatorApp(tokens)
    const { password } = person
    expect((await startLink(older, { ...GOOGLE, password })).body).toEqual(errorBody(403, 'REAUTHENTICATION_REQUIRED'))
    expect((await startLink(tokens, GOOGLE)).status).toBe(200)
  })

  test('requires a confirmed address', async () => {
    const { tokens } = await newAccount()
    expect((await startLink(tokens, { provider: 'GOOGLE' })).body).toEqual(errorBody(403, 'EMAIL_NOT_VERIFIED'))
  })

  test('returns only to a URL of the service or of a client', async () => {
    const visitor = await newSignedInPerson()
    for (const redirectUri of ['https://evil.test/', '//evil.test/', `${baseUrl}.evil.test/`, `${CALLBACK}/x`, '']) {
      expect((await startLink(visitor.tokens, { provider: 'GOOGLE', redirectUri })).body, redirectUri).toEqual(
        errorBody(422, 'VALIDATION_FAILED', {
          details: [{ field: 'redirectUri', message: expect.any(String) }],
        }),
      )
    }
    const wanted = { provider: 'GOOGLE', redirectUri: CALLBACK }
    const { body } = await startLinkInBrowser(visitor.browser, wanted)
    const done = await visitor.browser.get(await signInAtProvider(String(body.url), newProviderAccount()))
    expect([done.status, done.headers.get('location')]).toEqual([303, CALLBACK])
    expect((await listLinks(visitor.tokens)).links).toHaveLength(1)
  })

  test('started by an application requires the confirmation of the person', async () => {
    const { browser, tokens } = await newSignedInPerson()
    const { body } = await startLink(tokens, { provider: 'GOOGLE', redirectUri: CALLBACK })
    const providerAccount = newProviderAccount()
    const page = await browser.get(await signInAtProvider(String(body.url), providerAccount))
    expect(page.status).toBe(200)
    expect(await page.clone().text()).toContain(providerAccount.email)
    expect(await listLinks(tokens)).toEqual({ links: [] })
    const [form] = await readForms(page)
    if (!form) throw new Error('no form')
    const outsider = await newSignedInPerson()
    expect((await pressButton(outsider.browser, form, /link/i)).status).toBe(403)
    expect(await listLinks(outsider.tokens)).toEqual({ links: [] })
    const done = await pressButton(browser, form, /link/i)
    expect([done.status, done.headers.get('location')]).toEqual([303, CALLBACK])
    expect(await listLinks(tokens)).toMatchObject({
      links: [{ provider: 'GOOGLE', email: providerAccount.email }],
    })
  })

  test.each<[string, (visitor: SignedInPerson) => Promise<Record<string, unknown>>, number]>([
    ['in a browser', async ({ browser }) => (await startLinkInBrowser(browser, GOOGLE)).body, 400],
    ['by an application', async ({ tokens }) => (await startLink(tokens, GOOGLE)).body, 403],
  ])('started %s cannot be finished by another person, and is then void', async (_, begin, status) => {
    const [visitor, other] = [await newSignedInPerson(), await newSignedInPerson()]
    for (const browser of [other.browser, openBrowser()]) {
      const callback = await signInAtProvider(String((await begin(visitor)).url), newProviderAccount())
      const signedIn = await hasSession(browser)
      expect((await browser.get(callback)).status).toBe(status)
      expect(await hasSession(browser)).toBe(signedIn)
      // The response of the provider is now used for them, too.
      expect((await visitor.browser.get(callback)).status).toBe(400)
    }
    expect(await listLinks(visitor.tokens)).toEqual({ links: [] })
    expect(await listLinks(other.tokens)).toEqual({ links: [] })
  })

  test('an identity that is linked to another account stays there', async () => {
    const [first, second] = [await newSignedInPerson(), await newSignedInPerson()]
    const providerAccount = newProviderAccount()
    await linkProvider(first, 'GOOGLE', providerAccount)
    expect((await linkProvider(second, 'GOOGLE', providerAccount)).status).toBe(409)
    expect(await listLinks(second.tokens)).toEqual({ links: [] })
    expect((await listLinks(first.tokens)).links).toHaveLength(1)
  })
})

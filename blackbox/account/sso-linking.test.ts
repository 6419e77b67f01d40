import { describe, expect, test } from 'vitest'
import { client, newConfirmedHolder, newHolder } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { refusal } from '../support/calls.ts'
import { mailTo } from '../support/mail.ts'
import { getTokens } from '../support/oauth.ts'
import { press, readForms } from '../support/pages.ts'
import { base, CALLBACK, read } from '../support/service.ts'
import { isAlive, TIMESTAMP } from '../support/sign-in.ts'
import { comeBackFrom, issuers, newPersonThere, signInThrough } from '../support/sso.ts'
import { link, linkHere, links, linkThrough, newVisitor, type Visitor } from '../support/sso-links.ts'

const AT = expect.stringMatching(TIMESTAMP)
const GOOGLE = { provider: 'GOOGLE' }
const subjects = async (email: string) => (await mailTo(email)).map(({ subject }) => subject)

describe.skipIf(!issuers.google)('linking', () => {
  test('T111: leads to the provider itself, with everything that ties the answer to this request', async () => {
    const { tokens } = await newConfirmedHolder()
    const about = await read<{ authorization_endpoint: string }>(
      await fetch(`${issuers.google}/.well-known/openid-configuration`),
    )
    const seen: Record<string, string>[] = []
    for (const provider of ['GOOGLE', 'google']) {
      const { status, body } = await link(tokens, { provider })
      expect(status).toBe(200)
      expect(body).toEqual({ url: expect.any(String) })
      const address = new URL(String(body.url))
      expect(address.origin + address.pathname).toBe(about.body.authorization_endpoint)
      seen.push(Object.fromEntries(address.searchParams))
    }
    for (const parameters of seen) {
      expect(parameters).toEqual({
        client_id: 'latchkey',
        redirect_uri: `${base}/sso/google/callback`,
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

  test('shows what is linked, tells the person, and from then on opens their account', async () => {
    const visitor = await newVisitor()
    const { person, tokens } = visitor
    const there = newPersonThere({ email_verified: false })
    const done = await linkThrough(visitor, 'GOOGLE', there)
    expect([done.status, new URL(done.headers.get('location') ?? '', base).href]).toEqual([
      303,
      `${base}/account`,
    ])
    const shown = {
      provider: 'GOOGLE',
      email: there.email,
      displayName: 'Nora New',
      avatarUrl: 'https://elsewhere.test/nora.png',
      linkedAt: AT,
      lastUsedAt: AT,
    }
    const before = await links(tokens)
    expect(before).toEqual({ links: [shown] })
    expect(await subjects(person.email)).toContain('A sign-in provider was linked')
    expect((await link(tokens, { provider: 'google' })).body).toEqual(refusal(409, 'SSO_ALREADY_LINKED'))

    const elsewhere = openBrowser()
    await signInThrough('google', elsewhere, { sub: there.sub, name: 'Nora Newer' })
    expect(await (await elsewhere.get('/api/users/me')).json()).toMatchObject({
      email: person.email,
      displayName: 'Sam Someone',
    })
    const after = await links(tokens)
    expect(after).toEqual({
      links: [{ ...shown, email: null, displayName: 'Nora Newer', avatarUrl: null }],
    })
    expect(after.links[0]?.linkedAt).toBe(before.links[0]?.linkedAt)
    const moved = Date.parse(after.links[0]?.lastUsedAt ?? '') - Date.parse(before.links[0]?.lastUsedAt ?? '')
    expect(moved).toBeGreaterThan(0)
  })

  test('of one provider goes once, of several each', async () => {
    const visitor = await newVisitor()
    await linkThrough(visitor, 'GOOGLE')
    expect((await linkThrough(visitor, 'ACME')).status).toBe(303)
    expect((await links(visitor.tokens)).links.map(({ provider }) => provider)).toEqual(['GOOGLE', 'ACME'])
  })

  test('takes the second factor that a person has', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const older = await getTokens(await person.signIn(), client)
    await addApp(tokens)
    const { password } = person
    expect((await link(older, { ...GOOGLE, password })).body).toEqual(
      refusal(403, 'REAUTHENTICATION_REQUIRED'),
    )
    expect((await link(tokens, GOOGLE)).status).toBe(200)
  })

  test('takes a confirmed address', async () => {
    const { tokens } = await newHolder()
    expect((await link(tokens, { provider: 'GOOGLE' })).body).toEqual(refusal(403, 'EMAIL_NOT_VERIFIED'))
  })

  test('leads afterwards to an address here or of a client, and nowhere else', async () => {
    const visitor = await newVisitor()
    for (const redirectUri of [
      'https://evil.test/',
      '//evil.test/',
      `${base}.evil.test/`,
      `${CALLBACK}/x`,
      '',
    ]) {
      expect((await link(visitor.tokens, { provider: 'GOOGLE', redirectUri })).body, redirectUri).toEqual(
        refusal(422, 'VALIDATION_FAILED', {
          details: [{ field: 'redirectUri', message: expect.any(String) }],
        }),
      )
    }
    const wanted = { provider: 'GOOGLE', redirectUri: CALLBACK }
    const { body } = await linkHere(visitor.browser, wanted)
    const done = await visitor.browser.get(await comeBackFrom(String(body.url), newPersonThere()))
    expect([done.status, done.headers.get('location')]).toEqual([303, CALLBACK])
    expect((await links(visitor.tokens)).links).toHaveLength(1)
  })

  test('begun by an application, it waits until the person has seen what would be linked', async () => {
    const { browser, tokens } = await newVisitor()
    const { body } = await link(tokens, { provider: 'GOOGLE', redirectUri: CALLBACK })
    const there = newPersonThere()
    const page = await browser.get(await comeBackFrom(String(body.url), there))
    expect(page.status).toBe(200)
    expect(await page.clone().text()).toContain(there.email)
    expect(await links(tokens)).toEqual({ links: [] })
    const [form] = await readForms(page)
    if (!form) throw new Error('no form')
    const stranger = await newVisitor()
    expect((await press(stranger.browser, form, /link/i)).status).toBe(403)
    expect(await links(stranger.tokens)).toEqual({ links: [] })
    const done = await press(browser, form, /link/i)
    expect([done.status, done.headers.get('location')]).toEqual([303, CALLBACK])
    expect(await links(tokens)).toMatchObject({ links: [{ provider: 'GOOGLE', email: there.email }] })
  })

  test.each<[string, (visitor: Visitor) => Promise<Record<string, unknown>>, number]>([
    ['in a browser', async ({ browser }) => (await linkHere(browser, GOOGLE)).body, 400],
    ['by an application', async ({ tokens }) => (await link(tokens, GOOGLE)).body, 403],
  ])('begun %s, it is finished by nobody else, and then not at all', async (_, begin, status) => {
    const [visitor, other] = [await newVisitor(), await newVisitor()]
    for (const browser of [other.browser, openBrowser()]) {
      const callback = await comeBackFrom(String((await begin(visitor)).url), newPersonThere())
      const signedIn = await isAlive(browser)
      expect((await browser.get(callback)).status).toBe(status)
      expect(await isAlive(browser)).toBe(signedIn)
      // The answer is used up, for them too.
      expect((await visitor.browser.get(callback)).status).toBe(400)
    }
    expect(await links(visitor.tokens)).toEqual({ links: [] })
    expect(await links(other.tokens)).toEqual({ links: [] })
  })

  test('what opens the account of somebody else stays with them', async () => {
    const [first, second] = [await newVisitor(), await newVisitor()]
    const there = newPersonThere()
    await linkThrough(first, 'GOOGLE', there)
    expect((await linkThrough(second, 'GOOGLE', there)).status).toBe(409)
    expect(await links(second.tokens)).toEqual({ links: [] })
    expect((await links(first.tokens)).links).toHaveLength(1)
  })
})

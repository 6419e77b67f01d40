import { describe, expect, test } from 'vitest'
import { client, getHeldTokens } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { mailTo } from '../support/mail.ts'
import { authorizationRequest, exchange, getTokens, landing } from '../support/oauth.ts'
import type { PersonThere } from '../support/open-id-provider.ts'
import { follow } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { base, encode } from '../support/service.ts'
import { ask, isAlive, sessionOf, TIMESTAMP, UUID } from '../support/sign-in.ts'
import { comeBackFrom, issuers, newPersonThere, setOut, signInThrough } from '../support/sso.ts'

const me = async (browser: Browser) => (await (await browser.get('/api/users/me')).json()) as object
const links = async (browser: Browser) => (await browser.get('/api/users/me/sso')).json()
const HERE = [303, `${base}/account`]
const whereTo = ({ status, headers }: Response) => [status, new URL(headers.get('location') ?? '', base).href]

/** A page that says what went wrong and leads back, and nobody is signed in. */
async function expectRefused(browser: Browser, answer: Response, status: number): Promise<string> {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
  const page = await answer.text()
  expect(page).toMatch(/role="alert"/)
  expect(page).toContain('href="/login"')
  expect(sessionOf(browser)).toBeUndefined()
  expect(await isAlive(browser)).toBe(false)
  return page
}

describe.skipIf(!issuers.google)('signing in through a provider', () => {
  test.each([
    ['google', 'GOOGLE'],
    ['acme', 'ACME'],
  ] as const)(
    '%s: who comes for the first time gets an account, and the same one ever after',
    async (path, provider) => {
      const there = newPersonThere()
      const browser = openBrowser()
      expect(whereTo(await signInThrough(path, browser, there))).toEqual(HERE)
      const first = await me(browser)
      expect(first).toMatchObject({
        id: expect.stringMatching(UUID),
        email: there.email,
        emailVerified: true,
        displayName: 'Nora New',
        givenName: 'Nora',
        familyName: 'New',
        pictureUrl: 'https://elsewhere.test/nora.png',
        mfaEnabled: false,
        memberships: [],
      })
      const at = expect.stringMatching(TIMESTAMP)
      const named = { email: there.email, displayName: 'Nora New', avatarUrl: there.picture }
      expect(await links(browser)).toEqual({ links: [{ provider, ...named, linkedAt: at, lastUsedAt: at }] })
      const { amr } = await verifyAccessToken((await getTokens(browser, client)).access_token)
      expect(amr).toEqual(['fed'])

      const again = openBrowser()
      const moved = { ...there, email: newPersonThere().email, name: 'Somebody Else' }
      expect(whereTo(await signInThrough(path, again, moved))).toEqual(HERE)
      expect(await me(again)).toEqual(first)
      expect(await links(again)).toMatchObject({
        links: [{ email: moved.email, displayName: 'Somebody Else' }],
      })
    },
  )

  test('the page offers each by name', async () => {
    const page = await (await openBrowser().get('/login')).text()
    for (const [path, label] of [
      ['/sso/google', 'Google'],
      ['/sso/acme', 'Acme'],
    ]) {
      expect(page).toMatch(new RegExp(`href="${path}"[^>]*>[^<]*${label}`))
    }
  })

  test('on the way to an application it leads on to it', async () => {
    const browser = openBrowser()
    const request = authorizationRequest(client)
    const page = await follow(browser, await browser.get(`/oauth/authorize?${encode(request)}`))
    const [, way = ''] = /href="(\/sso\/google[^"]*)"/.exec(await page.text()) ?? []
    const left = await browser.get(way.replaceAll('&amp;', '&'))
    const callback = await comeBackFrom(left.headers.get('location') ?? '', newPersonThere())
    const answer = landing(await follow(browser, await browser.get(callback)))
    expect(answer.state).toBe(request.state)
    expect((await exchange(client, answer.code ?? '')).status).toBe(200)
  })

  test.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '3600' }])(
    'T023: %j is not fulfilled by a provider that does not say when somebody signed in there',
    async (demand) => {
      const browser = openBrowser()
      const request = authorizationRequest(client, demand)
      const page = await follow(browser, await browser.get(`/oauth/authorize?${encode(request)}`))
      const [, way = ''] = /href="(\/sso\/acme[^"]*)"/.exec(await page.text()) ?? []
      const left = await browser.get(way.replaceAll('&amp;', '&'))
      const address = new URL(left.headers.get('location') ?? '')
      expect(address.searchParams.get('max_age')).toBe(demand.max_age ?? '0')
      // Whoever sits at the browser strikes out what the provider is asked for.
      for (const name of ['prompt', 'max_age']) address.searchParams.delete(name)
      const answer = await browser.get(await comeBackFrom(address.href, newPersonThere()))
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('did not say when you signed in')
      expect(sessionOf(browser)).toBeUndefined()
    },
  )

  test('who has a second factor is asked for it here too', async () => {
    const person = await newConfirmedPerson()
    const there = newPersonThere({ email: person.email })
    const { app } = await addApp(await getHeldTokens(person))
    const browser = openBrowser()
    expect(whereTo(await signInThrough('google', browser, there))).toEqual([303, `${base}/mfa`])
    expect(await isAlive(browser)).toBe(false)
    expect((await ask(browser, 'mfa', { code: await app.nextCode() })).status).toBe(200)
    expect(await me(browser)).toMatchObject({ email: person.email })
  })
})

describe.skipIf(!issuers.google)('an account here, and an address there', () => {
  test('verified on both sides are linked, and the person is told', async () => {
    const person = await newConfirmedPerson()
    const browser = openBrowser()
    const there = newPersonThere({ email: person.email.toUpperCase() })
    expect(whereTo(await signInThrough('google', browser, there))).toEqual(HERE)
    expect(await me(browser)).toMatchObject({ email: person.email, displayName: 'Sam Someone' })
    expect(await links(browser)).toMatchObject({ links: [{ provider: 'GOOGLE', email: person.email }] })
    const subjects = (await mailTo(person.email)).map(({ subject }) => subject)
    expect(subjects).toContain('A sign-in provider was linked')
  })

  const unproven: [string, (email: string) => PersonThere][] = [
    ['unverified there', (email) => newPersonThere({ email, email_verified: false })],
    ['unmarked there', (email) => ({ sub: newPersonThere().sub, email, name: 'Nora' })],
  ]
  test.each(unproven)('T113: %s: no link, no session, and no word about who is here', async (_, toPerson) => {
    const person = await newConfirmedPerson()
    const pages: string[] = []
    for (const email of [person.email, newPersonThere().email]) {
      for (const provider of ['google', 'acme'] as const) {
        const browser = openBrowser()
        const answer = await signInThrough(provider, browser, toPerson(email))
        const page = await expectRefused(browser, answer, 403)
        if (provider === 'google') pages.push(page)
      }
    }
    expect(pages[1]).toBe(pages[0])
    expect(await links(await person.signIn())).toEqual({ links: [] })
  })

  test('T113: unverified here: no link, no session', async () => {
    const person = await newPerson()
    const browser = openBrowser()
    const answer = await signInThrough('google', browser, newPersonThere({ email: person.email }))
    await expectRefused(browser, answer, 403)
    const own = await person.signIn()
    expect(await links(own)).toEqual({ links: [] })
    expect(await me(own)).toMatchObject({ emailVerified: false })
  })

  test('T113: another account there with the same address is somebody else: no link, no session', async () => {
    const person = await newConfirmedPerson()
    const there = newPersonThere({ email: person.email })
    const owner = openBrowser()
    await signInThrough('google', owner, there)
    const before = await links(owner)
    const browser = openBrowser()
    const answer = await signInThrough('google', browser, newPersonThere({ email: person.email }))
    await expectRefused(browser, answer, 403)
    expect(await links(owner)).toEqual(before)
    // One and the same subject at two providers is two people.
    const other = openBrowser()
    await signInThrough('acme', other, newPersonThere({ sub: there.sub }))
    expect(await me(other)).not.toMatchObject({ email: person.email })
  })
})

describe.skipIf(!issuers.google)('the way back', () => {
  /** A browser that has been at the provider, and the address with which it is about to come back. */
  async function halfway() {
    const browser = openBrowser()
    return { browser, callback: await setOut(browser, { person: newPersonThere() }) }
  }
  const changed = (callback: string, name: string, value?: string) => {
    const address = new URL(callback)
    if (value === undefined) address.searchParams.delete(name)
    else address.searchParams.set(name, value)
    return address.href
  }

  test('who changes their mind is not signed in, and told so', async () => {
    const browser = openBrowser()
    const page = await expectRefused(browser, await signInThrough('google', browser, undefined), 400)
    expect(page).toContain('Google')
  })

  test('a state that is wrong or absent opens nothing, and costs the right one nothing', async () => {
    const { browser, callback } = await halfway()
    for (const state of ['A'.repeat(43), '', undefined]) {
      await expectRefused(browser, await browser.get(changed(callback, 'state', state)), 400)
    }
    expect(whereTo(await browser.get(callback))).toEqual(HERE)
  })
})

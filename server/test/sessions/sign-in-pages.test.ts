import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SsoProvider } from '../../src/config/sso.ts'
import { createSignedInUser, insertUser } from '../account/people.ts'
import { openTab, type Tab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { addMember, authorize, authorizeUrl, PASSWORD, signIn, startDemoService, thirdParty } from '../support/world.ts'

const GOOGLE: SsoProvider = {
  name: 'GOOGLE',
  label: 'Google',
  issuer: 'https://accounts.google.com',
  clientId: 'id',
  clientSecret: 'secret',
  scopes: 'openid email',
  trustEmail: true,
  trustReauthentication: false,
}

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ config: { sso: [GOOGLE] } })
  url = service.url
  await addMember(service, 'gus@globex.test', 'acme')
})
afterAll(() => service.close())

const pathOf = (address: string) => address.slice(url.length)
const linkOn = (html: string, words: string) =>
  (new RegExp(`<a[^>]*href="([^"]*)"[^>]*>${words}`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&')

/** Follows redirects within the service. */
async function follow(tab: Tab, path: string) {
  let page = await tab.open(path)
  while (page.location.startsWith('/')) page = await tab.open(page.location)
  return page
}

describe('the methods that were used in this browser', () => {
  const loginPage = (methods?: string) =>
    openTab(url, methods === undefined ? '' : `latchkey_methods=${methods}`).open('/login')

  /** The ways to sign in, in the order of the page. */
  const waysOn = (html: string) =>
    [...html.matchAll(/Sign in with a passkey|name="email"|Continue with Google/g)].map(([way]) => way)

  test.each([
    ['nobody knows yet', undefined, ['name="email"', 'Sign in with a passkey', 'Continue with Google']],
    ['a password', 'password', ['name="email"', 'Sign in with a passkey', 'Continue with Google']],
    ['a provider', 'GOOGLE.password', ['Continue with Google', 'name="email"', 'Sign in with a passkey']],
    ['a passkey', 'passkey', ['Sign in with a passkey', 'name="email"', 'Continue with Google']],
    ['a passkey before', 'password.passkey', ['Sign in with a passkey', 'name="email"', 'Continue with Google']],
    ['an unknown provider', 'OKTA', ['name="email"', 'Sign in with a passkey', 'Continue with Google']],
    ['nonsense', '%3Cb%3E..;', ['name="email"', 'Sign in with a passkey', 'Continue with Google']],
  ])('the page begins with the last one: %s', async (_, methods, ways) => {
    expect(waysOn((await loginPage(methods)).html)).toEqual(ways)
  })

  test('a sign-in is remembered without personal data, and a failed one is not', async () => {
    const { email } = await insertUser(service)
    const tab = openTab(url)
    await tab.open('/login')
    await tab.submit({ email, password: 'wrong' })
    expect(tab.cookies()).not.toContain('latchkey_methods')
    await tab.submit({ email, password: PASSWORD })
    expect(tab.cookies()).toMatch(/latchkey_methods=password(;|$)/)
    // The next person in this browser signs in with the password too.
    await tab.open('/login')
    expect((await tab.open('/account')).html).toContain(email)
  })
})

test('browsers offer passkeys in the address field', async () => {
  const { html } = await openTab(url).open('/login')
  expect(html).toContain('autocomplete="username webauthn"')
})

describe('the second step', () => {
  const STEP_MS = 30_000

  async function startSecondStep() {
    const person = await createSignedInUser(service)
    const { body } = await person.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
    service.advance(STEP_MS)
    const secret = String(body.secret)
    const code = totpCode(secret, service.ctx.now())
    const verified = await person.call('POST', '/api/users/me/mfa/totp/verify', { code })
    const tab = openTab(url)
    await tab.open('/login')
    const { location } = await tab.submit({ email: person.email, password: PASSWORD })
    expect(location).toBe('/mfa')
    return { tab, secret, recoveryCodes: verified.body.recoveryCodes as string[] }
  }

  test('asks for six digits in one numeric field, which also takes them in two groups', async () => {
    const { tab, secret } = await startSecondStep()
    const { html } = await tab.open('/mfa')
    expect(html).toMatch(/<input(?=[^>]*inputmode="numeric")(?=[^>]*autocomplete="one-time-code")(?=[^>]*name="code")/)
    expect(html.match(/<input type="text"/g)).toHaveLength(1)
    service.advance(STEP_MS)
    const code = totpCode(secret, service.ctx.now())
    expect((await tab.submit({ code: `${code.slice(0, 3)} ${code.slice(3)}` })).location).toBe('/account')
  })

  test('a recovery code has its own page', async () => {
    const { tab, recoveryCodes } = await startSecondStep()
    const recovery = linkOn((await tab.open('/mfa')).html, 'Use a recovery code')
    const page = await tab.open(recovery)
    expect(page.html).toContain('Use a recovery code</h1>')
    expect(page.html).not.toContain('inputmode="numeric"')
    const refused = await tab.submit({ code: 'wrong-code' })
    expect([refused.status, refused.html.includes('Use a recovery code</h1>')]).toEqual([400, true])
    expect((await tab.submit({ code: recoveryCodes[0] ?? '' })).location).toBe('/account')
  })

  test('the page of recovery codes downloads them without a script', async () => {
    const { email } = await insertUser(service)
    const tab = openTab(url, await signIn(url, email))
    await tab.open('/mfa/setup')
    const { html } = await tab.submit()
    const secret = (/<code>([^<]*)<\/code>/.exec(html)?.[1] ?? '').replaceAll(' ', '')
    service.advance(STEP_MS)
    const codes = await tab.submit({ code: totpCode(secret, service.ctx.now()) })
    const href = /href="data:text\/plain;charset=utf-8,([^"]*)" download/.exec(codes.html)?.[1] ?? ''
    const listed = [...codes.html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, code]) => code)
    expect(listed).toHaveLength(10)
    expect(decodeURIComponent(href).trim().split('\n')).toEqual(listed)
    // The choice of a language would open the page again, without the codes.
    expect(codes.html).not.toContain('action="/language"')
  })
})

describe('use another account', () => {
  test('on the choice of an organization', async () => {
    const tab = openTab(url, await signIn(url, 'gus@globex.test'))
    const choice = await tab.open(pathOf(authorizeUrl(url)))
    expect(choice.text).toContain('Choose an organization')
    const login = await tab.open(linkOn(choice.html, 'Use another account'))
    expect(login.text).toContain('to continue to Project Manager')
    const { location } = await tab.submit({ email: 'mia@acme.test', password: PASSWORD })
    expect((await follow(tab, location)).location).toMatch(/^http:\/\/localhost:8080\/callback\?code=/)
  })

  test('on the consent page, which then asks the other person; the address of the first is not filled in', async () => {
    const { clientId } = await thirdParty(url)
    const tab = openTab(url, await signIn(url, 'mia@acme.test'))
    const parameters = { client_id: clientId, login_hint: 'mia@acme.test' }
    const consent = await tab.open(pathOf(authorizeUrl(url, parameters)))
    const login = await tab.open(linkOn(consent.html, 'Use another account'))
    expect(login.html).not.toContain('mia@acme.test')
    const { location } = await tab.submit({ email: 'max@acme.test', password: PASSWORD })
    const page = await follow(tab, location)
    expect(page.text).toContain('Allow Partner Reports?')
    expect(page.text).toContain('max@acme.test')
  })
})

test('the console does not ask for an organization, because it has a menu of them', async () => {
  const cookie = await signIn(url, 'gus@globex.test')
  const redirect_uri = `${service.ctx.config.baseUrl}/console/callback`
  const console = { client_id: 'latchkey-console', redirect_uri }
  expect((await authorize(url, cookie, console)).answer.code).toBeDefined()
  expect((await authorize(url, cookie, { ...console, prompt: 'none' })).answer.code).toBeDefined()
  // Other applications still ask.
  expect((await authorize(url, cookie, { prompt: 'none' })).answer.error).toBe('interaction_required')
})

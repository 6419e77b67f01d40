import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

let service: TestService

beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const GERMAN = { 'accept-language': 'de' }

const browser = (headers: Record<string, string> = {}) => openTab(service.url, '', headers)

const alertOn = (html: string) => /role="alert">([^<]*)</.exec(html)?.[1]
const headingOn = (html: string) => /<h1>([^<]*)</.exec(html)?.[1]

describe.each([
  [
    'English without a header',
    {},
    {
      refusal: 'The email address or the password is wrong.',
      reset: 'Forgot your password?',
      mailed: /If there is an account with the address nobody@acme\.test, a mail is on its way\./,
      countdown: /You can ask for another mail in \d+ seconds\./,
      signUp: 'The given name is missing. The family name is missing.',
      notFound: 'Page not found',
    },
  ],
  [
    'German for a browser that asks for it',
    GERMAN,
    {
      refusal: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      reset: 'Passwort vergessen?',
      mailed: /Wenn es ein Konto mit der Adresse nobody@acme\.test gibt, ist eine E-Mail unterwegs\./,
      countdown: /Sie können in \d+ Sekunden eine weitere E-Mail anfordern\./,
      signUp: 'Der Vorname fehlt. Der Nachname fehlt.',
      notFound: 'Seite nicht gefunden',
    },
  ],
])('pages are in %s', (_, headers, texts) => {
  test('a refused sign-in', async () => {
    const tab = browser(headers)
    await tab.open('/login')
    const refused = await tab.submit({ email: 'mia@acme.test', password: 'wrong' })
    expect(refused.status).toBe(401)
    expect(alertOn(refused.html)).toBe(texts.refusal)
  })

  test('a password reset, with the seconds until the next mail', async () => {
    const tab = browser(headers)
    expect(headingOn((await tab.open('/forgot-password')).html)).toBe(texts.reset)
    const mailed = await tab.submit({ email: 'nobody@acme.test' })
    expect(mailed.text).toMatch(texts.mailed)
    expect(mailed.text).toMatch(texts.countdown)
  })

  test('each wrong field of a sign-up in a sentence', async () => {
    const tab = browser(headers)
    await tab.open('/signup')
    const wrong = await tab.submit({ email: 'new@acme.test', password: 'a long enough one' })
    expect(alertOn(wrong.html)).toBe(texts.signUp)
  })

  test('an address that does not exist', async () => {
    const response = await fetch(`${service.url}/nope`, { headers: { ...headers, accept: 'text/html' } })
    expect(response.headers.get('vary')).toContain('Accept-Language')
    expect(headingOn(await response.text())).toBe(texts.notFound)
  })

  test('an address with invalid parameters, which is refused before the page', async () => {
    const { html } = await browser(headers).open(`/login?${'a=1&'.repeat(2_000)}`)
    expect(html).toContain(`<html lang="${headers === GERMAN ? 'de' : 'en'}"`)
  })
})

test('the family name comes first in Japanese', async () => {
  const namesIn = async (language: string) => {
    const { html } = await browser({ 'accept-language': language }).open('/signup')
    return [...html.matchAll(/name="(givenName|familyName)"/g)].map(([, name]) => name)
  }
  expect(await namesIn('ja')).toEqual(['familyName', 'givenName'])
  expect(await namesIn('de')).toEqual(['givenName', 'familyName'])
})

test('error messages of the API are in the language that the header Latchkey-Language names, and else in English', async () => {
  const messageFor = async (headers: Record<string, string>) => {
    const response = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email: 'mia@acme.test', password: 'wrong' }),
    })
    return ((await response.json()) as { message: string }).message
  }
  const english = 'The email address or the password is wrong.'
  expect(await messageFor({})).toBe(english)
  expect(await messageFor(GERMAN)).toBe(english)
  expect(await messageFor({ 'latchkey-language': 'de' })).toBe('Die E-Mail-Adresse oder das Passwort ist falsch.')
  expect(await messageFor({ 'latchkey-language': '<b>' })).toBe(english)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { resumeInLanguage } from '../../src/languages/current-language.ts'
import type { Language } from '../../src/languages/languages.ts'
import { t } from '../../src/languages/translate.ts'
import { urlWithLogin } from '../../src/sessions/login-transaction.ts'
import { openTab } from '../invitations/browser-tab.ts'
import { createHost } from '../invitations/invitation-api.ts'
import { REDIRECT_URI, register } from '../oauth/registration/calls.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { authorizeUrl, startDemoService } from '../support/world.ts'

let service: TestService

beforeAll(async () => {
  service = await startDemoService({ config: { clientRegistration: 'open' } })
})
afterAll(() => service.close())

/** The title of the sign-in page, with the attributes of the document. */
async function signInPage(path: string, headers: Record<string, string> = {}) {
  const html = await (await fetch(new URL(path, service.url), { headers })).text()
  return { document: /<html[^>]*>/.exec(html)?.[0], title: /<h1>(.*?)<\/h1>/.exec(html)?.[1] }
}

const ENGLISH = { document: '<html lang="en" dir="ltr">', title: 'Sign in' }
const GERMAN = { document: '<html lang="de" dir="ltr">', title: 'Anmelden' }

test.each([
  ['de', GERMAN],
  ['de-AT,de;q=0.9,en;q=0.8', GERMAN],
  ['xx, en;q=0.5, de;q=0.9', GERMAN],
  ['de;q=0, en', ENGLISH],
  ['xx', ENGLISH],
  ['*', ENGLISH],
  [';;;,=,q=,de;q=x', ENGLISH],
  ['ar', { document: '<html lang="ar" dir="rtl">', title: 'تسجيل الدخول' }],
  ['pt', { document: '<html lang="pt-BR" dir="ltr">', title: 'Entrar' }],
])('the page is in the language that the browser asks for: %s', async (header, page) => {
  expect(await signInPage('/login', { 'accept-language': header })).toEqual(page)
})

test('the language of this browser comes before its header, and an invalid one is ignored', async () => {
  const header = { 'accept-language': 'ja' }
  expect(await signInPage('/login', { ...header, cookie: 'latchkey_language=de' })).toEqual(GERMAN)
  expect(await signInPage('/login', { 'accept-language': 'de', cookie: 'latchkey_language=<b>' })).toEqual(GERMAN)
})

test('what the application asks for comes first, on every page of the sign-in', async () => {
  const headers = { 'accept-language': 'ja', cookie: 'latchkey_language=es' }
  const start = await fetch(authorizeUrl(service.url, { ui_locales: 'xx de en' }), { headers, redirect: 'manual' })
  const page = start.headers.get('location') ?? ''
  expect(await signInPage(page, headers)).toEqual(GERMAN)
  expect(await signInPage(page.replace('/login', '/signup'), headers)).toMatchObject({ document: GERMAN.document })
})

test('a language that only a later release has breaks nothing', async () => {
  const login = { next: '/account', startedAt: service.ctx.now().getTime(), formTargets: [], state: undefined }
  const path = urlWithLogin(service.ctx, '/login', { ...login, language: 'xx' as Language })
  expect(await signInPage(path, { 'accept-language': 'de' })).toEqual(GERMAN)
  expect(resumeInLanguage('xx', () => t('Sign in'))).toBe('Sign in')
})

test('a link does not replace a known language, and chooses no pseudo language', async () => {
  expect(await signInPage('/login?ui_locales=ja', { cookie: 'latchkey_language=de' })).toEqual(GERMAN)
  expect(await signInPage('/login?ui_locales=de')).toEqual(GERMAN)
  expect(await signInPage('/login?ui_locales=en-XA', { 'accept-language': 'en-XA' })).toEqual(ENGLISH)
  const { title } = await signInPage('/login', { cookie: 'latchkey_language=en-XA' })
  expect(title).toBe('[Sígn ín]')
})

test('a client that nobody vetted does not choose the language', async () => {
  const { client_id } = await register(service.url)
  const address = authorizeUrl(service.url, {
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    ui_locales: 'ja',
  })
  const start = await fetch(address, { redirect: 'manual' })
  expect(start.headers.get('location')).toContain('/login?journey=')
  expect(await signInPage(start.headers.get('location') ?? '', { 'accept-language': 'de' })).toEqual(GERMAN)
})

test('an unknown or endless ui_locales breaks nothing', async () => {
  for (const ui_locales of ['xx', 'q'.repeat(3_000), ' '.repeat(50)]) {
    const start = await fetch(authorizeUrl(service.url, { ui_locales }), { redirect: 'manual' })
    expect(await signInPage(start.headers.get('location') ?? '')).toEqual(ENGLISH)
  }
})

const titleOf = (html: string) => /<html lang="([^"]*)"/.exec(html)?.[1]

/** A tenant whose default language is German, and a sign-in for it. */
async function newGermanTenant() {
  const host = await createHost(service)
  const setLanguage = (language: string | null) =>
    host.user.call('PATCH', `/api/tenants/${host.tenant.id}`, { language })
  await setLanguage('de')
  const startSignIn = async (parameters: Record<string, string> = {}) => {
    const url = authorizeUrl(service.url, { tenant: host.tenant.slug, ...parameters })
    return (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
  }
  return { ...host, setLanguage, startSignIn }
}

test('the default language of the tenant comes before what the browser asks for, and after the other choices', async () => {
  const { startSignIn, setLanguage } = await newGermanTenant()
  const headers = { 'accept-language': 'ja' }
  expect(await signInPage(await startSignIn(), headers)).toEqual(GERMAN)
  expect(await signInPage(await startSignIn(), { ...headers, cookie: 'latchkey_language=en' })).toEqual(ENGLISH)
  expect(await signInPage(await startSignIn({ ui_locales: 'en' }), headers)).toEqual(ENGLISH)
  expect(await signInPage('/login', headers)).not.toEqual(GERMAN)
  await setLanguage(null)
  expect(await signInPage(await startSignIn())).toEqual(ENGLISH)
})

test('the page of an invitation is in the default language of its tenant, also after a mistake', async () => {
  const { invite } = await newGermanTenant()
  const { path } = await invite()
  const tab = openTab(service.url)
  expect(titleOf((await tab.open(path)).html)).toBe('de')
  const mistake = await tab.submit({ choice: 'join', givenName: '', familyName: '', password: 'short' })
  expect(mistake.status).toBe(422)
  expect(titleOf(mistake.html)).toBe('de')
  const english = openTab(service.url, 'latchkey_language=en')
  expect(titleOf((await english.open(path)).html)).toBe('en')
})

test('the default language of the tenant costs no statement beside the one for the branding', async () => {
  const watch = await watchStatements(service)
  const countTwice = async (headers: Record<string, string>) => {
    const path = await (await newGermanTenant()).startSignIn()
    const load = () => signInPage(path, headers)
    return [await watch.count(load), await watch.count(load)]
  }
  try {
    // With the cookie, the tenant is read for the branding only.
    expect(await countTwice({})).toEqual(await countTwice({ cookie: 'latchkey_language=ja' }))
  } finally {
    await watch.close()
  }
})

test('the start page of the console is in the language of the browser', async () => {
  const page = await fetch(`${service.url}/console`, { headers: { 'accept-language': 'de' } })
  if (page.status === 404) return // The console was not built.
  expect(await page.text()).toContain('<html lang="de" dir="ltr">')
  expect(page.headers.get('cache-control')).toBe('no-store')
})

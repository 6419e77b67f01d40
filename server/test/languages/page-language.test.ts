import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, startDemoService } from '../support/world.ts'

let service: TestService

beforeAll(async () => {
  service = await startDemoService()
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

test('an unknown or endless ui_locales breaks nothing', async () => {
  for (const ui_locales of ['xx', 'q'.repeat(3_000), ' '.repeat(50)]) {
    const start = await fetch(authorizeUrl(service.url, { ui_locales }), { redirect: 'manual' })
    expect(await signInPage(start.headers.get('location') ?? '')).toEqual(ENGLISH)
  }
})

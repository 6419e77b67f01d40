import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { openTab, type PageView, type Tab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { authorizeUrl, startDemoService } from '../support/world.ts'

let service: TestService

beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const languageOf = ({ html }: PageView) => /<html lang="([^"]*)"/.exec(html)?.[1]

/** The fields of the form in the footer. */
function choiceOn({ html }: PageView): Record<string, string> {
  const [, form = ''] = /<form method="post" action="\/language">([\s\S]*?)<\/form>/.exec(html) ?? []
  const hidden = [...form.matchAll(/name="([^"]*)" value="([^"]*)"\/>/g)]
  return Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

const post = (tab: Tab, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  tab.submit(fields, { to: '/language', headers })

/** Chooses a language in the footer of the page and opens the page that the browser is sent to. */
async function choose(tab: Tab, page: PageView, language: string): Promise<PageView> {
  const answer = await post(tab, { ...choiceOn(page), language })
  expect(answer.status).toBe(303)
  return tab.open(answer.location)
}

const localeOf = async ({ id }: TestUser) =>
  (await service.ctx.db.selectFrom('users').select('locale').where('id', '=', id).executeTakeFirstOrThrow()).locale

test('every page offers the languages by their own names, and a choice returns to it and stays', async () => {
  const tab = openTab(service.url)
  const page = await tab.open('/forgot-password?client_id=demo-spa')
  for (const name of ['English', 'Deutsch', 'Français', 'Español', 'Português (Brasil)', '日本語', 'العربية']) {
    expect(page.html).toContain(`<bdi>${name}</bdi></button>`)
  }
  expect(choiceOn(page).path).toBe('/forgot-password?client_id=demo-spa')
  const german = await choose(tab, page, 'de')
  expect(languageOf(german)).toBe('de')
  expect(german.html).toContain('value="de" lang="de" aria-current="true"')
  expect(languageOf(await tab.open('/login'))).toBe('de')
  expect(languageOf(await choose(tab, german, 'ar'))).toBe('ar')
})

test('a page that was asked for in another language follows the choice, through the whole sign-in', async () => {
  const tab = openTab(service.url)
  const start = await tab.open(authorizeUrl('', { ui_locales: 'fr' }))
  const page = await tab.open(start.location)
  expect(languageOf(page)).toBe('fr')
  const chosen = await choose(tab, page, 'ja')
  expect(languageOf(chosen)).toBe('ja')
  const wrong = await tab.submit({ email: 'mia@acme.test', password: 'not the password' })
  expect(languageOf(wrong)).toBe('ja')
  expect(languageOf(await choose(tab, await tab.open('/login?ui_locales=fr'), 'es'))).toBe('es')
})

test('the form after a mistake returns to a page that can be opened', async () => {
  const tab = openTab(service.url)
  await tab.open('/login')
  const wrong = await tab.submit({ email: 'mia@acme.test', password: 'not the password' })
  expect((await choose(tab, wrong, 'de')).status).toBe(200)
})

test('a choice is refused from another site, without the token, and for a language that is not offered', async () => {
  const tab = openTab(service.url)
  const fields = choiceOn(await tab.open('/login'))
  const refused = [
    await post(tab, { ...fields, language: 'de' }, { 'sec-fetch-site': 'cross-site' }),
    await post(tab, { path: '/login', language: 'de', csrf: 'x' }),
    await post(tab, { ...fields, language: 'xx' }),
    await post(tab, { ...fields, language: 'en-XA' }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 400, 400])
  expect((await tab.open('/language?language=de')).status).toBe(405)
  expect(languageOf(await tab.open('/login'))).toBe('en')
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '\\\\evil.example',
  '/..//evil.example/',
  '/.//evil.example',
  '/%2e%2e//evil.example',
  'javascript:alert(1)',
  'http://',
  '',
])('a choice never leads to another site: %s', async (path) => {
  const tab = openTab(service.url)
  const fields = choiceOn(await tab.open('/login'))
  expect((await post(tab, { ...fields, path, language: 'de' })).location).toMatch(/^\/(?!\/)/)
})

test('the choice of a person who is signed in is stored in their profile, and keeps a region', async () => {
  const person = await createSignedInUser(service)
  const tab = openTab(service.url, person.cookie)
  await choose(tab, await tab.open('/account'), 'de')
  expect(await localeOf(person)).toBe('de')
  await person.call('PATCH', '/api/users/me', { locale: 'de-AT' })
  await choose(tab, await tab.open('/account'), 'de')
  expect(await localeOf(person)).toBe('de-AT')
  await choose(tab, await tab.open('/account'), 'es')
  expect(await localeOf(person)).toBe('es')
})

test('the choice in the footer costs a page no statement', async () => {
  const watch = await watchStatements(service)
  try {
    expect(await watch.count(() => fetch(`${service.url}/login`))).toBe(0)
  } finally {
    await watch.close()
  }
})

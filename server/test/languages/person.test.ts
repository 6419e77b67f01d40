import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, insertUser, logIn } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService

beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const languageIn = ({ headers }: { headers: Headers }) =>
  headers
    .getSetCookie()
    .map((cookie) => /^latchkey_language=([^;]*)/.exec(cookie)?.[1])
    .find((language) => language !== undefined)

test.each([
  ['de-AT', 'de'],
  ['pt-PT', 'pt-BR'],
  ['ja', 'ja'],
  ['xx', undefined],
  [null, undefined],
])('a sign-in sets the language of the browser to that of the person: %s', async (locale, language) => {
  const { email } = await insertUser(service, { locale })
  expect(languageIn(await logIn(service.url, email, PASSWORD))).toBe(language)
  const tab = openTab(service.url)
  await tab.open('/login')
  expect(languageIn(await tab.submit({ email, password: PASSWORD }))).toBe(language)
})

test('a refused sign-in does not set the language', async () => {
  const { email } = await insertUser(service, { locale: 'de' })
  expect(languageIn(await logIn(service.url, email, 'not the password'))).toBeUndefined()
})

test('a new language in the profile applies to this browser at once', async () => {
  const person = await createSignedInUser(service)
  const tab = openTab(service.url, person.cookie)
  const form = await tab.open('/account/profile')
  expect(form.html).toContain('<option value="fr" lang="fr">Français</option>')
  const saved = await tab.submit({ locale: 'fr', zoneinfo: 'UTC' })
  expect(saved.html).toContain('<html lang="fr"')
  expect(languageIn(saved)).toBe('fr')
  expect((await tab.open('/account')).html).toContain('<html lang="fr"')
})

test('a stored language tag that is not offered stays selected', async () => {
  const person = await createSignedInUser(service, { locale: 'de-AT' })
  const page = await openTab(service.url, person.cookie).open('/account/profile')
  expect(page.html).toContain('<option value="de-AT" selected>de-AT</option>')
})

test('the console and the session cookie set the language of the browser, a program does not', async () => {
  const person = await createSignedInUser(service)
  const patch = (headers: Record<string, string>) =>
    call(`${service.url}/api/users/me`, { method: 'PATCH', body: { locale: 'es' }, headers })
  const authorization = `Bearer ${person.tokens.access_token}`
  const program = await patch({ authorization })
  expect(program.headers.getSetCookie()).toEqual([])
  expect(languageIn(await patch({ authorization, 'latchkey-language': 'en' }))).toBe('es')
  expect(languageIn(await patch({ cookie: person.cookie, origin: service.url }))).toBe('es')
  expect(Object.keys(program.body).toSorted()).toEqual(
    ['displayName', 'email', 'familyName', 'givenName', 'id', 'middleName', 'updatedAt'].toSorted(),
  )
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, createSignedInUser, insertUser, listMailTo, type TestUser } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { admin, PASSWORD, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'

let service: TestService
let owner: TestUser
beforeAll(async () => {
  service = await startDemoService({ worker: true })
  owner = await createSignedInUser(service, { display_name: 'Olga Owner' })
})
afterAll(() => service?.close())

const NEW_PERSON = { password: 'a harbour full of boats', givenName: 'Sam', familyName: 'Someone' }

const newAddress = () => `reader-${randomBytes(5).toString('hex')}@people.test`

/** The only mail to this address. */
async function receive(email: string) {
  await expect.poll(() => listMailTo(service, email)).toHaveLength(1)
  const [mail] = await listMailTo(service, email)
  if (!mail) throw new Error('no mail')
  return mail
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  call(service.url + path, { method: 'POST', body, headers })

/** Creates a tenant of the owner, with a default language. */
async function createTenant(language: string | null) {
  const company = await insertTenant(service)
  await insertMembership(service, company, owner, { role: 'owner' })
  await service.ctx.db.updateTable('tenants').set({ language }).where('id', '=', company.id).execute()
  return company
}

const invite = (tenantId: string, email: string) =>
  owner.call('POST', `/api/tenants/${tenantId}/invitations`, { email, role: 'admin' })

const dateIn = (language: string, days: number) =>
  new Intl.DateTimeFormat(language, { timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' }).format(
    new Date(service.ctx.now().getTime() + days * 86_400_000),
  )

describe('the language that a reader has chosen', () => {
  test('is that of a password reset, however it is asked for', async () => {
    const { email } = await insertUser(service, { locale: 'de-AT' })
    await post('/api/auth/password/forgot', { email }, { 'Latchkey-Language': 'fr' })
    const { subject, text, html } = await receive(email)
    expect(subject).toBe('Neues Passwort wählen')
    expect(text).toContain('1 Stunde lang gültig')
    expect(html).toContain('<html lang="de" dir="ltr">')
  })

  test('is that of a notice of a new device, with its date and its facts', async () => {
    const { email } = await insertUser(service, { locale: 'de' })
    const login = { email, password: PASSWORD }
    const browser =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
    await post('/api/auth/login', login, { 'User-Agent': browser })
    await post('/api/auth/login', login, { 'User-Agent': 'curl/8' })
    const { subject, text } = await receive(email)
    expect(subject).toBe('Neue Anmeldung bei Ihrem Konto')
    expect(text).toContain('Gerät: „curl“')
    expect(text).toContain(`Zeit: ${dateIn('de', 0)} um `)
    expect(text).toContain('bei Ihrem Konto bei Latchkey')
  })

  test('is that of an invitation, before the language of the tenant and of the request', async () => {
    const company = await createTenant('fr')
    const { email } = await insertUser(service, { locale: 'de' })
    const url = `${service.url}/api/tenants/${company.id}/invitations`
    const headers = { authorization: `Bearer ${owner.tokens.access_token}`, 'Latchkey-Language': 'es' }
    expect((await call(url, { method: 'POST', body: { email, role: 'admin' }, headers })).status).toBe(201)
    const { subject, text } = await receive(email)
    expect(subject).toBe(`Treten Sie „${company.name}“ bei`)
    expect(text).toContain('„Olga Owner“ lädt Sie ein')
    expect(text).toContain(`bis ${dateIn('de', 7)} gültig`)
    expect(text).toContain('Ihre Rolle: Admin')
  })

  test('is written from right to left in Arabic', async () => {
    const { email } = await insertUser(service, { locale: 'ar' })
    await post('/api/auth/password/forgot', { email })
    const { html } = await receive(email)
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html).toContain('text-align:right')
  })

  test('is that of both mails about a change of address', async () => {
    const user = await createSignedInUser(service, { locale: 'de' })
    const newEmail = newAddress()
    expect((await user.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })).status).toBe(200)
    const confirmation = await receive(newEmail)
    expect(confirmation.subject).toBe('Bestätigen Sie Ihre neue E-Mail-Adresse')
    const [, token = ''] = /token=([\w-]+)/.exec(confirmation.text) ?? []
    expect((await post('/api/auth/email/verify', { token })).status).toBe(200)
    const subjects = (await listMailTo(service, user.email)).map(({ subject }) => subject)
    expect(subjects).toContain('Ihre E-Mail-Adresse wurde geändert')
    expect(subjects).toContain('Ihre E-Mail-Adresse soll geändert werden')
  })
})

test('each of several recipients gets a mail in their own language', async () => {
  const company = await createTenant('ja')
  const [german, arabic, undecided] = await Promise.all([
    insertUser(service, { locale: 'de' }),
    insertUser(service, { locale: 'ar' }),
    insertUser(service),
  ])
  for (const user of [german, arabic, undecided]) await insertMembership(service, company, user, { role: 'owner' })
  await admin(service.url, `/api/admin/tenants/${company.id}`, { suspended: true }, 'PATCH')
  expect((await receive(german.email)).subject).toBe(`„${company.name}“ ist gesperrt`)
  expect((await receive(arabic.email)).subject).toBe(`تم إيقاف «\u2068${company.name}\u2069»`)
  expect((await receive(undecided.email)).subject).toBe(`「${company.name}」は停止されています`)
})

describe('a reader without a choice', () => {
  test('gets the language of the page that they ask on', async () => {
    const { email } = await insertUser(service)
    const tab = openTab(service.url, 'latchkey_language=de')
    await tab.open('/forgot-password')
    await tab.submit({ email })
    expect((await receive(email)).subject).toBe('Neues Passwort wählen')
  })

  test('gets the language of the tenant in an invitation, else English', async () => {
    const [french, neutral] = [newAddress(), newAddress()]
    const [company, other] = [await createTenant('fr'), await createTenant(null)]
    await invite(company.id, french)
    await invite(other.id, neutral)
    expect((await receive(french)).subject).toBe(`Rejoignez «\u00a0${company.name}\u00a0»`)
    expect((await receive(neutral)).subject).toBe(`Join "${other.name}"`)
  })

  test('does not get the language of somebody else who signs in', async () => {
    const { email } = await insertUser(service)
    const login = { email, password: PASSWORD }
    await post('/api/auth/login', login, { 'User-Agent': 'first/1' })
    await post('/api/auth/login', login, { 'User-Agent': 'second/1', 'Latchkey-Language': 'ja' })
    expect((await receive(email)).subject).toBe('New sign-in to your account')
  })

  test('does not get the language of an administrator', async () => {
    const { id, email } = await insertUser(service)
    const operator = await createSignedInUser(service, { is_super_admin: true })
    const headers = { authorization: `Bearer ${operator.tokens.access_token}`, 'Latchkey-Language': 'ja' }
    await call(`${service.url}/api/admin/users/${id}`, { method: 'PATCH', body: { disabled: true }, headers })
    expect((await receive(email)).subject).toBe('Your account was disabled')
  })
})

describe('a sign-up', () => {
  const localeOf = async (email: string) =>
    (await service.ctx.db.selectFrom('users').select('locale').where('email', '=', email).executeTakeFirstOrThrow())
      .locale

  test('on a page stores its language as that of the person, and mails in it', async () => {
    const email = newAddress()
    const tab = openTab(service.url, 'latchkey_language=de')
    await tab.open('/signup')
    await tab.submit({ email, ...NEW_PERSON })
    expect((await receive(email)).subject).toBe('Bestätigen Sie Ihre E-Mail-Adresse')
    expect(await localeOf(email)).toBe('de')
  })

  test('stores no language for a browser that asks for none that we have', async () => {
    const email = newAddress()
    const tab = openTab(service.url)
    await tab.open('/signup')
    await tab.submit({ email, ...NEW_PERSON }, { headers: { 'accept-language': 'xx' } })
    await receive(email)
    expect(await localeOf(email)).toBeNull()
  })

  test('through the API stores a language only if the request names one', async () => {
    const [plain, german] = [newAddress(), newAddress()]
    await post('/api/auth/register', { email: plain, ...NEW_PERSON }, { 'Accept-Language': 'de' })
    await post('/api/auth/register', { email: german, ...NEW_PERSON }, { 'Latchkey-Language': 'de' })
    expect([await localeOf(plain), await localeOf(german)]).toEqual([null, 'de'])
    expect((await receive(plain)).subject).toBe('Confirm your email address')
    expect((await receive(german)).subject).toBe('Bestätigen Sie Ihre E-Mail-Adresse')
  })

  test('by invitation stores the language of the page', async () => {
    const company = await createTenant('fr')
    const email = newAddress()
    await invite(company.id, email)
    const [, path = ''] = /(\/invitations\/[\w-]+)/.exec((await receive(email)).text) ?? []
    const tab = openTab(service.url, 'latchkey_language=es')
    await tab.open(path)
    await tab.submit({ ...NEW_PERSON, choice: 'join' })
    expect(await localeOf(email)).toBe('es')
  })
})

test('the profile of a person without a choice says English', async () => {
  expect((await owner.call('GET', '/api/users/me')).body).toMatchObject({ locale: 'en' })
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import { createNamedHost } from '../invitations/hosts.ts'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, startDemoService, thirdParty } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'

let service: TestService

beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const GERMAN = { 'accept-language': 'de' }

/** A signed-in person with a browser. */
async function newVisitor(headers: Record<string, string> = GERMAN, traits: object = {}) {
  const person = await createSignedInUser(service, traits)
  return { person, tab: openTab(service.url, person.cookie, headers) }
}

/** A day as people write it: 3. Mai 2026. */
const dayIn = (language: string, date: Date) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)

describe('for a browser that asks for German', () => {
  test('the account names the organizations as a list', async () => {
    const { person, tab } = await newVisitor(GERMAN, { given_name: 'Greta', family_name: 'Graf' })
    for (const company of [await insertTenant(service), await insertTenant(service), await insertTenant(service)]) {
      await insertMembership(service, company, person)
    }
    const { text } = await tab.open('/account')
    expect(text).toContain(`Hallo Greta Graf Sie sind als ${person.email} angemeldet.`)
    expect(text).toMatch(/Mitglied von Company \w+, Company \w+ und Company \w+ /)
    expect(text).toContain('Sitzungen Wo Sie angemeldet sind')
  })

  test('the sessions have the time of their last use', async () => {
    const { tab } = await newVisitor()
    const { text } = await tab.open('/account/sessions')
    expect(text).toContain('Wo Sie angemeldet sind. Wenn Sie eine Sitzung nicht kennen, beenden Sie sie')
    expect(text).toContain(`, zuletzt aktiv: ${dayIn('de', service.ctx.now())} um `)
  })

  test('the deletion says how many days are left to change their mind', async () => {
    const { tab } = await newVisitor()
    expect((await tab.open('/account/delete')).text).toContain('30 Tage lang können Sie sich anmelden')
    const refused = await tab.submit({ confirmation: 'no' })
    expect(refused.text).toContain('Konto löschen')
    expect(refused.html).toContain('role="alert">Der Bestätigungstext')
  })

  test('a wrong field of the profile has a sentence', async () => {
    const { tab } = await newVisitor()
    await tab.open('/account/profile')
    const { text } = await tab.submit({ zoneinfo: 'Mars/Olympus' })
    expect(text).toContain('Die Zeitzone muss eine IANA-Zeitzone wie Europe/Berlin sein.')
  })

  test('the consent says what the application will be able to do', async () => {
    const { person, tab } = await newVisitor()
    const { clientId: client_id } = await thirdParty(service.url, 'Hafenplan')
    const asked = new URL(authorizeUrl(service.url, { client_id, scope: 'openid email' }))
    const { text } = await tab.open(asked.pathname + asked.search)
    expect(text).toContain(`Hafenplan möchte auf Ihr Konto ${person.email} zugreifen. Die Anwendung kann dann:`)
    expect(text).toContain('Wissen, wer Sie sind Ihre E-Mail-Adresse sehen')
    expect(text).toContain('Erlauben Ablehnen')
  })

  test('the invitation says until when it is good, and a wrong answer is explained', async () => {
    const host = await createNamedHost(service, { given_name: 'Hanna', family_name: 'Host', tenantName: 'Hafen' })
    const { email, path } = await host.invite({ role: 'admin' })
    const tab = openTab(service.url, '', GERMAN)
    const until = dayIn('de', new Date(service.ctx.now().getTime() + 7 * 86_400_000))
    const { text } = await tab.open(path)
    expect(text).toContain('Hanna Host lädt Sie ein, Hafen als Admin beizutreten.')
    expect(text).toContain(`Die Einladung ist für ${email}. Sie gilt bis zum ${until}.`)
    const refused = await tab.submit({ givenName: 'Greta', familyName: '', password: 'a harbour full of boats' })
    expect(refused.text).toContain('Der Nachname muss eine Zeile mit 1 bis 100 Zeichen sein.')
    expect((await tab.open('/invitations/unknown')).text).toContain('Diese Einladung gibt es nicht')
  })
})

test('recovery codes are counted with the plural forms of the language', async () => {
  const { person } = await newVisitor()
  const { db, now } = service.ctx
  const totp = { user_id: person.id, sealed_secret: Buffer.from('s'), created_at: now(), confirmed_at: now() }
  await db
    .insertInto('totp_secrets')
    .values({ ...totp, session_id: null })
    .execute()
  const openSecurity = async (language: string, left: number) => {
    await db.deleteFrom('recovery_codes').where('user_id', '=', person.id).execute()
    for (let code = 0; code < left; code += 1) {
      await db
        .insertInto('recovery_codes')
        .values({ user_id: person.id, hash: createHash('sha256').update(`${code}`).digest() })
        .execute()
    }
    const tab = openTab(service.url, person.cookie, { 'accept-language': language })
    return (await tab.open('/account/security')).text
  }
  expect(await openSecurity('en', 1)).toContain('One is left. Each lets you sign in once')
  expect(await openSecurity('de', 0)).toContain('Es ist keiner übrig. Mit jedem können Sie sich einmal anmelden')
  expect(await openSecurity('de', 3)).toContain('3 sind übrig. Mit jedem')
  expect(await openSecurity('ar', 2)).toContain('بقي رمزان.')
  expect(await openSecurity('ja', 3)).toContain('残り 3 個です。')
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../../../console/src/text/account.ts'
import { ownConsents } from '../../../console/src/text/consents.ts'
import { ownData } from '../../../console/src/text/own-data.ts'
import { ownSessions } from '../../../console/src/text/own-sessions.ts'
import { security } from '../../../console/src/text/security.ts'
import { shell } from '../../../console/src/text/shell.ts'
import { createBrandedApplication } from '../branding/calls.ts'
import { LOGO } from '../branding/images.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { createSignedInUser } from './people.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

async function openAccount() {
  const person = await createSignedInUser(service)
  return { person, tab: openTab(service.url, person.cookie) }
}

const decode = (text: string) => text.replaceAll('&amp;', '&').trim()
/** Without the templates of scripts. */
const contents = (html: string, tag: string) =>
  [...html.replaceAll(/<template>.*?<\/template>/gs, '').matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(
    ([, text = '']) => decode(text),
  )

const { profile, address } = account

describe('the account has the same words in the same order on the hosted pages and in the console', () => {
  test('the pages', async () => {
    const { tab } = await openAccount()
    const { html } = await tab.open('/account')
    const nav = /<nav.*?<\/nav>/s.exec(html)?.[0] ?? ''
    expect(contents(nav, 'a')).toEqual(Object.values(shell.nav.account))
    expect(html).toContain('href="/console/account/profile"')
  })

  test.each([
    ['profile', profile, [address, profile.name, profile.person, profile.about, profile.region]],
    ['security', security, [security.password, security.twoStep, security.passkeys, security.links]],
    ['sessions', ownSessions, []],
    ['data', ownData, [ownConsents, ownData.export, ownData.deletion]],
  ])('the sections of %s, with a link to the page of the console', async (name, { title, lead }, sections) => {
    const { tab } = await openAccount()
    const { html } = await tab.open(`/account/${name}`)
    expect(contents(html, 'h1')).toEqual([title])
    expect(decode(html)).toContain(lead)
    expect(contents(html, 'h2')).toEqual(sections.map((section) => section.title))
    expect(html).toContain(`href="/console/account/${name}"`)
  })

  test('the fields of the profile', async () => {
    const { tab } = await openAccount()
    const { html } = await tab.open('/account/profile')
    const labels = contents(html, 'label').map((label) => label.replace(/<span.*/s, ''))
    const { givenName, familyName, middleName, nickname, displayName, gender, birthdate, website, picture } = profile
    const fields = [givenName, familyName, middleName, nickname, displayName, gender, birthdate, website, picture]
    expect(labels).toEqual([...fields, profile.language, profile.zone])
  })
})

test('without providers, the page of the linked accounts says so', async () => {
  const { tab } = await openAccount()
  const { text } = await tab.open('/account/connections')
  expect(text).toContain(security.links.empty)
  expect(text).toContain(security.links.emptyText)
})

test('the applications with access have their logo, and access can be withdrawn without a script', async () => {
  const { person, tab } = await openAccount()
  const application = await createBrandedApplication(service, { trusted: false })
  await application.brand({ logo: LOGO })
  expect((await tab.open('/account/data')).text).toContain(`${ownConsents.empty}.`)
  await service.ctx.db
    .insertInto('consents')
    .values({
      user_id: person.id,
      application_id: application.id,
      tenant_id: null,
      scopes: ['openid', 'email'],
      granted_at: service.ctx.now(),
    })
    .execute()
  const { body } = await person.call('GET', '/api/users/me/consents')
  const [consent] = body.consents as { logoUrl: string }[]
  const page = await tab.open('/account/data')
  expect(page.text).toContain(ownConsents.lead)
  expect(page.html).toContain(`<img class="app-logo" src="${consent?.logoUrl}"`)
  expect((await fetch(service.url + consent?.logoUrl)).headers.get('content-type')).toBe('image/png')
  expect((await tab.submit({ withdraw: application.id })).location).toBe('/account/data')
  expect((await person.call('GET', '/api/users/me/consents')).body).toEqual({ consents: [] })
})

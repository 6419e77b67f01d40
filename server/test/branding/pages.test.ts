import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, mailTo, newSomebody } from '../account/people.ts'
import { newHost } from '../invitations/guests.ts'
import { openTab, type Tab } from '../invitations/tab.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { totpCode } from '../support/totp.ts'
import { admin, authorizeUrl, PASSWORD, startWorld } from '../support/world.ts'
import { employ, newCompany } from '../tenants/company.ts'
import { approve, type Branded, newBranded, newBrandedTenant } from './calls.ts'
import { LOGO, OTHER_LOGO } from './pictures.ts'

let service: TestService
let application: Branded
beforeAll(async () => {
  service = await startWorld({ worker: true })
  application = await newBranded(service, { trusted: false })
  await application.brand({ displayName: 'Reports & Co', color: '#ffd43b', logo: LOGO })
})
afterAll(() => service?.close())

/** What a page shows of whose it is. */
function brandOn(html: string) {
  const [, head = ''] = /<header[^>]*>(.*?)<\/header>/s.exec(html) ?? []
  return {
    title: / · ([^<]*)<\/title>/.exec(html)?.[1],
    name: head.replace(/<[^>]*>/g, '').trim(),
    logo: /<img[^>]* src="(\/branding\/[0-9a-f]{64})"/.exec(head)?.[1],
    color: /href="\/assets\/brand-([0-9a-f]{6})-[0-9a-f]{8}\.css"/.exec(html)?.[1],
    secured: html.includes('Secured by Latchkey'),
  }
}
const OURS = { title: 'Latchkey', name: 'Latchkey', logo: undefined, color: undefined, secured: false }
const named = (name: string, more: object = {}) => ({ title: name, name, secured: true, ...more })
const REPORTS = named('Reports &amp; Co', { logo: expect.any(String), color: 'ffd43b' })

const pathTo = (parameters: Record<string, string> = {}) =>
  authorizeUrl('', { client_id: application.clientId, ...parameters })

/** Opens an address, and whatever it leads on to. */
async function follow(tab: Tab, path: string) {
  let shown = await tab.open(path)
  while (shown.location.startsWith('/')) shown = await tab.open(shown.location)
  return shown
}
async function press(tab: Tab, fields: Record<string, string>) {
  const shown = await tab.press(fields)
  return shown.location.startsWith('/') ? follow(tab, shown.location) : shown
}
const linkOn = (html: string, words: string) =>
  (new RegExp(`<a[^>]*href="([^"]*)"[^>]*>${words}`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&')

/** Somebody with a second step and two tenants: whoever has the longest way. */
async function newTraveller() {
  const person = await newSomebody(service)
  const { body } = await person.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = String(body.secret)
  const code = totpCode(secret, service.ctx.now())
  expect((await person.call('POST', '/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
  for (const company of [await newCompany(service), await newCompany(service)]) {
    await employ(service, company, person)
  }
  return { ...person, code: () => totpCode(secret, new Date(service.ctx.now().getTime() + 30_000)) }
}

describe('the way to an application with branding', () => {
  test('shows it on every page, from the sign-in to the consent', async () => {
    const person = await newTraveller()
    const tab = openTab(service.url)
    const login = await follow(tab, pathTo())
    expect(login.text).toContain('Sign in')
    expect(brandOn(login.html)).toEqual(REPORTS)
    const wrong = await press(tab, { email: person.email, password: 'not the password' })
    expect(wrong.status).toBe(401)
    expect(brandOn(wrong.html)).toEqual(REPORTS)
    const second = await press(tab, { email: person.email, password: PASSWORD })
    expect(second.text).toContain('One more step')
    expect(brandOn(second.html)).toEqual(REPORTS)
    const tenants = await press(tab, { code: person.code() })
    expect(tenants.text).toContain('Choose an organisation')
    expect(brandOn(tenants.html)).toEqual(REPORTS)
    const tenant = /name="tenant" value="([^"]*)"/.exec(tenants.html)?.[1] ?? ''
    const consent = await press(tab, { tenant })
    expect(consent.text).toContain('Allow Reports?')
    expect(brandOn(consent.html)).toEqual(REPORTS)
    const answer = await press(tab, { decision: 'allow' })
    expect(answer.location).toMatch(/^http:\/\/localhost:8080\/callback\?code=/)
    const account = await follow(tab, pathTo({ prompt: 'select_account' }))
    expect(account.text).toContain('Choose an account')
    expect(brandOn(account.html)).toEqual(REPORTS)
  })

  test('shows it on the ways around it: no account, no password, no second step', async () => {
    const tab = openTab(service.url)
    const login = await follow(tab, pathTo())
    const signUp = await tab.open(linkOn(login.html, 'Create an account'))
    expect(brandOn(signUp.html)).toEqual(REPORTS)
    const mailed = await tab.press({ email: 'newcomer@people.test', password: 'a harbour full of boats' })
    expect(mailed.text).toContain('Check your mailbox')
    expect(brandOn(mailed.html)).toEqual(REPORTS)
    const forgot = await tab.open(linkOn(login.html, 'Forgot your password'))
    expect(brandOn(forgot.html)).toEqual(REPORTS)

    const person = await addPerson(service)
    const policy = await newCompany(service)
    await admin(service.url, `/api/admin/tenants/${policy.id}`, { mfaPolicy: 'REQUIRED' }, 'PATCH')
    await employ(service, policy, person)
    await follow(tab, pathTo())
    const setup = await press(tab, { email: person.email, password: PASSWORD })
    expect(setup.text).toContain('Set up a second step')
    expect(brandOn(setup.html)).toEqual(REPORTS)
    expect(brandOn((await tab.press()).html)).toEqual(REPORTS)
  })

  test('shows it to who comes back by the link of a mail to choose a password', async () => {
    const { email } = await addPerson(service)
    const tab = openTab(service.url)
    const login = await follow(tab, pathTo())
    await tab.open(linkOn(login.html, 'Forgot your password'))
    expect(brandOn((await tab.press({ email })).html)).toEqual(REPORTS)
    const link = await eventually(async () => {
      const texts = (await mailTo(service, email)).map(({ text }) => text)
      return texts.map((text) => /(\/reset-password\S+)/.exec(text)?.[1]).find(Boolean)
    })
    expect(brandOn((await tab.open(link)).html)).toEqual(REPORTS)
    expect(brandOn((await tab.press({ newPassword: 'short' })).html)).toEqual(REPORTS)
    const done = await tab.press({ newPassword: 'a harbour full of boats' })
    expect(done.text).toContain('Your new password is set')
    expect(brandOn(done.html)).toEqual(REPORTS)
  })

  test('shows it where something is wrong, and on the way out', async () => {
    const tab = openTab(service.url)
    const wrong = await tab.open(pathTo({ redirect_uri: 'https://elsewhere.test/' }))
    expect(wrong.status).toBe(400)
    expect(brandOn(wrong.html)).toEqual(REPORTS)
    const { location } = await tab.open(pathTo())
    const forged = await tab.press({ csrf: 'forged' }, { to: location })
    expect(forged.status).toBeGreaterThanOrEqual(400)
    expect(brandOn(forged.html)).toEqual(REPORTS)

    const out = `/api/oauth/logout?client_id=${application.clientId}`
    expect(brandOn((await tab.open(out)).html)).toEqual(REPORTS)
    const { cookie } = await newSomebody(service)
    const signedIn = openTab(service.url, cookie)
    const ask = await signedIn.open(out)
    expect(ask.text).toContain('Sign out?')
    expect(brandOn(ask.html)).toEqual(REPORTS)
    expect(brandOn((await signedIn.press()).html)).toEqual(REPORTS)
  })
})

describe('without branding', () => {
  test('pages show Latchkey: on no way, on the way to an application or a tenant that has none', async () => {
    const plain = await newBranded(service)
    const { company } = await newBrandedTenant(service)
    for (const path of [
      '/login',
      authorizeUrl('', { client_id: plain.clientId }),
      authorizeUrl('', { client_id: plain.clientId, tenant: company.slug }),
      authorizeUrl('', { client_id: 'no-such-client' }),
    ]) {
      expect(brandOn((await follow(openTab(service.url), path)).html), path).toEqual(OURS)
    }
  })

  test('a name that was not chosen is that of the application or the tenant', async () => {
    const plain = await newBranded(service)
    await plain.brand({ color: '#123456' })
    const path = authorizeUrl('', { client_id: plain.clientId })
    const shown = await follow(openTab(service.url), path)
    expect(brandOn(shown.html)).toEqual(named('Reports', { logo: undefined, color: '123456' }))
    const { brand, company, approve: letShow } = await newBrandedTenant(service)
    await brand({ logo: OTHER_LOGO })
    await letShow()
    const theirs = await follow(openTab(service.url), `${path}&tenant=${company.slug}`)
    expect(brandOn(theirs.html)).toMatchObject(named(company.name, { color: undefined }))
  })
})

describe('a tenant that the request names', () => {
  test('comes before the application, while it has an approved branding and is not suspended', async () => {
    const { brand, company, owner, path, approve: letShow } = await newBrandedTenant(service)
    await letShow()
    const tab = () => openTab(service.url)
    const shown = async () => brandOn((await follow(tab(), pathTo({ tenant: company.slug }))).html)
    const suspend = (suspended: boolean) =>
      admin(service.url, `/api/admin/tenants/${company.id}`, { suspended }, 'PATCH')
    expect(await shown()).toEqual(REPORTS)
    await brand({ displayName: 'Harbour House', color: '#0b7285' })
    const theirs = named('Harbour House', { logo: undefined, color: '0b7285' })
    expect(await shown()).toEqual(theirs)
    // It says so still where they are going.
    expect((await follow(tab(), pathTo({ tenant: company.slug }))).text).toContain('to continue to Reports')
    await suspend(true)
    expect(await shown()).toEqual(REPORTS)
    await suspend(false)
    expect(await shown()).toEqual(theirs)
    const { tokens } = await owner.signInElsewhere()
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect((await fetch(service.url + path, { method: 'DELETE', headers })).status).toBe(200)
    expect(await shown()).toEqual(REPORTS)
  })

  test('T174: without approval is seen by its members after the sign-in, and by nobody before it', async () => {
    const { brand, company } = await newBrandedTenant(service)
    await brand({ displayName: 'Harbour House' })
    const theirs = named('Harbour House', { logo: undefined, color: undefined })
    const person = await newSomebody(service)
    await employ(service, company, person)
    const tab = openTab(service.url)
    const login = await follow(tab, pathTo({ tenant: company.slug }))
    expect(brandOn(login.html)).toEqual(REPORTS)
    const wrong = await press(tab, { email: person.email, password: 'not the password' })
    expect(brandOn(wrong.html)).toEqual(REPORTS)
    const consent = await press(tab, { email: person.email, password: PASSWORD })
    expect(consent.text).toContain('Allow Reports?')
    expect(brandOn(consent.html)).toEqual(theirs)

    const choice = pathTo({ tenant: company.slug, prompt: 'select_account' })
    const seenBy = async ({ cookie }: { cookie: string }) =>
      brandOn((await follow(openTab(service.url, cookie), choice)).html)
    expect(await seenBy(await person.signInElsewhere())).toEqual(theirs)
    const stranger = await newSomebody(service)
    expect(await seenBy(stranger)).toEqual(REPORTS)
    // Not before they have accepted, and not any more when they are suspended.
    const { db } = service.ctx
    const place = await employ(service, company, stranger, { status: 'INVITED' })
    expect(await seenBy(stranger)).toEqual(REPORTS)
    const joined = { joined_at: new Date(), invited_until: null }
    await db
      .updateTable('memberships')
      .set({ status: 'ACTIVE', ...joined })
      .where('id', '=', place)
      .execute()
    expect(await seenBy(stranger)).toEqual(theirs)
    await db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('id', '=', place).execute()
    expect(await seenBy(stranger)).toEqual(REPORTS)
  })

  test('T174: an operator approves it and withdraws that, which is seen at once and written down', async () => {
    const { brand, company } = await newBrandedTenant(service)
    await brand({ displayName: 'Harbour House' })
    const shown = async () =>
      brandOn((await follow(openTab(service.url), pathTo({ tenant: company.slug }))).html)
    for (const approved of [true, true, false]) {
      await approve(service, company.id, approved)
      expect(await shown()).toMatchObject(approved ? { name: 'Harbour House' } : REPORTS)
    }
    const entries = await service.ctx.db
      .selectFrom('audit_entries')
      .select('details')
      .where('tenant_id', '=', company.id)
      .where('action', '=', 'tenant.changed')
      .orderBy('id')
      .execute()
    expect(entries.map(({ details }) => details)).toEqual([
      { before: { brandingApproved: false }, after: { brandingApproved: true } },
      { before: { brandingApproved: true }, after: { brandingApproved: false } },
    ])
  })

  test('that is not there, or cannot be, changes nothing', async () => {
    for (const tenant of ['no-such-tenant', '../../etc', '<script>', 'x'.repeat(500)]) {
      const shown = await follow(openTab(service.url), pathTo({ tenant }))
      expect(brandOn(shown.html)).toEqual(REPORTS)
    }
  })
})

test('T174: the invitation of a tenant that is not approved shows its brand to who has joined, and not before', async () => {
  const host = await newHost(service, { given_name: 'Hanna', tenantName: 'Row House' })
  await host.somebody.call('PUT', `/api/tenants/${host.tenant.id}/branding`, { color: '#0b7285' })
  const { path } = await host.invite()
  const tab = openTab(service.url)
  const invited = await tab.open(path)
  expect(invited.text).toContain('Join Row House')
  expect(brandOn(invited.html)).toEqual(OURS)
  const filled = { givenName: 'New', familyName: 'Comer', password: 'a harbour full of boats' }
  expect(brandOn((await tab.press(filled)).html)).toMatchObject(named('Row House', { color: '0b7285' }))

  const known = await addPerson(service)
  const other = openTab(service.url)
  const link = linkOn(
    (await other.open((await host.invite({ email: known.email })).path)).html,
    'Sign in to accept',
  )
  expect(brandOn((await follow(other, link)).html)).toEqual(OURS)
})

test('an invitation of an approved tenant shows it, from the link to the welcome', async () => {
  const host = await newHost(service, { given_name: 'Hanna', tenantName: 'Boat House' })
  await approve(service, host.tenant.id)
  const before = await host.invite()
  expect(brandOn((await openTab(service.url).open(before.path)).html)).toEqual(OURS)
  await host.somebody.call('PUT', `/api/tenants/${host.tenant.id}/branding`, { color: '#0b7285' })
  const theirs = named('Boat House', { logo: undefined, color: '0b7285' })
  const tab = openTab(service.url)
  expect(brandOn((await tab.open(before.path)).html)).toEqual(theirs)
  const refused = await tab.press({ givenName: 'New', familyName: 'Comer', password: 'short' })
  expect(brandOn(refused.html)).toEqual(theirs)
  const filled = { givenName: 'New', familyName: 'Comer', password: 'a harbour full of boats' }
  const joined = await tab.press(filled)
  expect(joined.text).toContain('You are now a member of Boat House')
  expect(brandOn(joined.html)).toEqual(theirs)

  const known = await addPerson(service)
  const { path } = await host.invite({ email: known.email })
  const other = openTab(service.url)
  const login = await follow(other, linkOn((await other.open(path)).html, 'Sign in to accept'))
  expect(login.text).toContain('Sign in')
  expect(brandOn(login.html)).toEqual(theirs)
})

test('a change is seen at once, and a name is text whatever stands in it', async () => {
  const changing = await newBranded(service)
  const shown = async () =>
    brandOn((await follow(openTab(service.url), authorizeUrl('', { client_id: changing.clientId }))).html)
  for (const displayName of ['One', 'Two', '"><script>alert(1)</script>']) {
    await changing.brand({ displayName })
    const { title } = await shown()
    expect(title).toBe(displayName.replaceAll('"', '&quot;').replaceAll('<', '&lt;'))
  }
  await changing.unbrand()
  expect(await shown()).toEqual(OURS)
})

describe('a colour', () => {
  test('is a stylesheet of a few rules, kept for ever', async () => {
    const { html } = await follow(openTab(service.url), pathTo())
    const path = /href="(\/assets\/brand-[^"]*)"/.exec(html)?.[1] ?? ''
    const response = await fetch(service.url + path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await response.text()).toMatch(
      /^:root \{\n {2}--accent: light-dark\(#[0-9a-f]{6}, #ffd43b\);\n {2}--accent-ink: light-dark\(#ffffff, #000000\);\n\}\n$/,
    )
    expect(html).not.toMatch(/<style|style="/)
  })

  test.each(['brand-ffd43b-00000000.css', 'brand-zzzzzz-00000000.css', 'brand-.css', 'x', 'brand-%0a.css'])(
    '%s is none',
    async (name) => {
      expect((await fetch(`${service.url}/assets/${name}`)).status).toBe(404)
    },
  )
})

test('a page on no way asks the database nothing more; one on the way to an application once, and then not again', async () => {
  const watch = await watchStatements(service)
  try {
    const fresh = await newBranded(service)
    await fresh.brand({ color: '#123456' })
    const { location } = await openTab(service.url).open(authorizeUrl('', { client_id: fresh.clientId }))
    const look = (path: string) => fetch(service.url + path)
    const asked = (work: () => Promise<unknown>) =>
      watch.list(work).then((all) => all.filter(({ query }) => query.includes('brandings')).length)
    expect(await asked(() => look('/login'))).toBe(0)
    expect(await asked(() => look(location))).toBe(1)
    expect(await asked(() => look(location))).toBe(0)
  } finally {
    await watch.close()
  }
})

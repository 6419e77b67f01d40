import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser, insertUser, listMailTo } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import { submitSignUp } from '../sessions/sign-up-steps.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { totpCode } from '../support/totp.ts'
import { admin, authorizeUrl, PASSWORD, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { type BrandedApplication, createBrandedApplication, newBrandedTenant } from './calls.ts'
import { OTHER_LOGO } from './images.ts'
import { brandOn, DEFAULT_BRAND, follow, linkOn, newReports, REPORTS, submit, toBrand } from './pages.ts'

let service: TestService
let application: BrandedApplication
beforeAll(async () => {
  service = await startDemoService({ worker: true })
  application = await newReports(service)
})
afterAll(() => service?.close())

const authorizePath = (parameters: Record<string, string> = {}) =>
  authorizeUrl('', { client_id: application.clientId, ...parameters })

/** A user with a second factor and two tenants, whose sign-in has the most pages. */
async function newUserWithAllSteps() {
  const person = await createSignedInUser(service)
  const { body } = await person.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = String(body.secret)
  const code = totpCode(secret, service.ctx.now())
  expect((await person.call('POST', '/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
  for (const company of [await insertTenant(service), await insertTenant(service)]) {
    await insertMembership(service, company, person)
  }
  return { ...person, code: () => totpCode(secret, new Date(service.ctx.now().getTime() + 30_000)) }
}

describe('the branding of an application', () => {
  test('is shown on every page from the sign-in to the consent', async () => {
    const person = await newUserWithAllSteps()
    const tab = openTab(service.url)
    const login = await follow(tab, authorizePath())
    expect(login.text).toContain('Sign in')
    expect(brandOn(login.html)).toEqual(REPORTS)
    const wrong = await submit(tab, { email: person.email, password: 'not the password' })
    expect(wrong.status).toBe(401)
    expect(brandOn(wrong.html)).toEqual(REPORTS)
    const second = await submit(tab, { email: person.email, password: PASSWORD })
    expect(second.text).toContain('One more step')
    expect(brandOn(second.html)).toEqual(REPORTS)
    const tenants = await submit(tab, { code: person.code() })
    expect(tenants.text).toContain('Choose an organization')
    expect(brandOn(tenants.html)).toEqual(REPORTS)
    const tenant = /name="tenant" value="([^"]*)"/.exec(tenants.html)?.[1] ?? ''
    const consent = await submit(tab, { tenant })
    expect(consent.text).toContain('Allow Reports?')
    expect(brandOn(consent.html)).toEqual(REPORTS)
    const redirect = await submit(tab, { decision: 'allow' })
    expect(redirect.location).toMatch(/^http:\/\/localhost:8080\/callback\?code=/)
    const account = await follow(tab, authorizePath({ prompt: 'select_account' }))
    expect(account.text).toContain('Choose an account')
    expect(brandOn(account.html)).toEqual(REPORTS)
  })

  test('is shown on the pages for sign-up, a forgotten password and the setup of a second factor', async () => {
    const tab = openTab(service.url)
    const login = await follow(tab, authorizePath())
    const signUp = await tab.open(linkOn(login.html, 'Create an account'))
    expect(brandOn(signUp.html)).toEqual(REPORTS)
    const mailed = await submitSignUp(tab, { email: 'newcomer@people.test', password: 'a harbour full of boats' })
    expect(mailed.text).toContain('Check your mailbox')
    expect(brandOn(mailed.html)).toEqual(REPORTS)
    const forgot = await tab.open(linkOn(login.html, 'Forgot your password'))
    expect(brandOn(forgot.html)).toEqual(REPORTS)

    const person = await insertUser(service)
    const policy = await insertTenant(service)
    await admin(service.url, `/api/admin/tenants/${policy.id}`, { mfaPolicy: 'REQUIRED' }, 'PATCH')
    await insertMembership(service, policy, person)
    await follow(tab, authorizePath())
    const setup = await submit(tab, { email: person.email, password: PASSWORD })
    expect(setup.text).toContain('Set up a second step')
    expect(brandOn(setup.html)).toEqual(REPORTS)
    expect(brandOn((await tab.submit()).html)).toEqual(REPORTS)
  })

  test('is shown on the password reset pages that a mail links to', async () => {
    const { email } = await insertUser(service)
    const tab = openTab(service.url)
    const login = await follow(tab, authorizePath())
    await tab.open(linkOn(login.html, 'Forgot your password'))
    expect(brandOn((await tab.submit({ email })).html)).toEqual(REPORTS)
    const link = await eventually(async () => {
      const texts = (await listMailTo(service, email)).map(({ text }) => text)
      return texts.map((text) => /(\/reset-password\S+)/.exec(text)?.[1]).find(Boolean)
    })
    expect(brandOn((await tab.open(link)).html)).toEqual(REPORTS)
    expect(brandOn((await tab.submit({ newPassword: 'short' })).html)).toEqual(REPORTS)
    const other = openTab(service.url)
    await other.open(link)
    const done = await other.submit({ newPassword: 'a harbour full of boats' })
    expect(done.text).toContain('Your new password is set')
    expect(brandOn(done.html)).toEqual(REPORTS)
  })

  test('is shown on error pages and on logout pages', async () => {
    const tab = openTab(service.url)
    const wrong = await tab.open(authorizePath({ redirect_uri: 'https://elsewhere.test/' }))
    expect(wrong.status).toBe(400)
    expect(brandOn(wrong.html)).toEqual(REPORTS)
    const { location } = await tab.open(authorizePath())
    const forged = await tab.submit({ csrf: 'forged' }, { to: location })
    expect(forged.status).toBeGreaterThanOrEqual(400)
    expect(brandOn(forged.html)).toEqual(REPORTS)

    const out = `/api/oauth/logout?client_id=${application.clientId}`
    expect(brandOn((await tab.open(out)).html)).toEqual(REPORTS)
    const { cookie } = await createSignedInUser(service)
    const signedIn = openTab(service.url, cookie)
    const ask = await signedIn.open(out)
    expect(ask.text).toContain('Sign out?')
    expect(brandOn(ask.html)).toEqual(REPORTS)
    expect(brandOn((await signedIn.submit()).html)).toEqual(REPORTS)
  })
})

describe('without branding', () => {
  test('pages show the default brand: without a destination, and for applications and tenants without branding', async () => {
    const plain = await createBrandedApplication(service)
    const { company } = await newBrandedTenant(service)
    for (const path of [
      '/login',
      authorizeUrl('', { client_id: plain.clientId }),
      authorizeUrl('', { client_id: plain.clientId, tenant: company.slug }),
      authorizeUrl('', { client_id: 'no-such-client' }),
    ]) {
      expect(brandOn((await follow(openTab(service.url), path)).html), path).toEqual(DEFAULT_BRAND)
    }
  })

  test('the default display name is that of the application or the tenant', async () => {
    const plain = await createBrandedApplication(service)
    await plain.brand({ color: '#123456' })
    const path = authorizeUrl('', { client_id: plain.clientId })
    const page = await follow(openTab(service.url), path)
    expect(brandOn(page.html)).toEqual(toBrand('Reports', { logo: undefined, color: '123456' }))
    const { brand, company, approve: letShow } = await newBrandedTenant(service)
    await brand({ logo: OTHER_LOGO })
    await letShow()
    const tenantPage = await follow(openTab(service.url), `${path}&tenant=${company.slug}`)
    expect(brandOn(tenantPage.html)).toMatchObject(toBrand(company.name, { color: undefined }))
  })
})

test('a change is shown immediately, and the name is escaped', async () => {
  const changing = await createBrandedApplication(service)
  const getBrand = async () =>
    brandOn((await follow(openTab(service.url), authorizeUrl('', { client_id: changing.clientId }))).html)
  for (const displayName of ['One', 'Two', '"><script>alert(1)</script>']) {
    await changing.brand({ displayName })
    const { title } = await getBrand()
    expect(title).toBe(displayName.replaceAll('"', '&quot;').replaceAll('<', '&lt;'))
  }
  await changing.unbrand()
  expect(await getBrand()).toEqual(DEFAULT_BRAND)
})

describe('a theme', () => {
  test.each(['soft', 'crisp'])(
    '%s is a stylesheet that sets variables of the pages and not the card',
    async (theme) => {
      const themed = await createBrandedApplication(service)
      expect((await themed.brand({ theme })).body).toMatchObject({ theme })
      const { html } = await follow(openTab(service.url), authorizeUrl('', { client_id: themed.clientId }))
      const path = new RegExp(`href="(/assets/theme-${theme}-[0-9a-f]{12}\\.css)"`).exec(html)?.[1] ?? ''
      const response = await fetch(service.url + path)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      const css = await response.text()
      expect(css).toMatch(/^:root \{\n( {2}--[a-z-]+: [^;]+;\n)+\}\n$/)
      expect(css).not.toContain('--card:')
    },
  )

  test('that is classic or missing needs no other stylesheet', async () => {
    const themed = await createBrandedApplication(service)
    await themed.brand({ theme: 'classic' })
    const { html } = await follow(openTab(service.url), authorizeUrl('', { client_id: themed.clientId }))
    expect(html).not.toContain('/assets/theme-')
    expect((await fetch(`${service.url}/assets/theme-soft-000000000000.css`)).status).toBe(404)
  })
})

describe('a color', () => {
  test('is served as a small immutable stylesheet', async () => {
    const { html } = await follow(openTab(service.url), authorizePath())
    const path = /href="(\/assets\/brand-[^"]*)"/.exec(html)?.[1] ?? ''
    const response = await fetch(service.url + path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await response.text()).toMatch(
      /^:root \{\n {2}--accent: light-dark\(#8a5a00, #[0-9a-f]{6}\);\n {2}--accent-ink: light-dark\(#ffffff, #000000\);\n\}\n$/,
    )
    expect(html).not.toMatch(/<style|style="/)
  })

  test.each(['brand-ffd43b-00000000.css', 'brand-zzzzzz-00000000.css', 'brand-.css', 'x', 'brand-%0a.css'])(
    '%s is not found',
    async (name) => {
      expect((await fetch(`${service.url}/assets/${name}`)).status).toBe(404)
    },
  )
})

test('a page without a destination does not query the branding; one with a destination queries it once', async () => {
  const watch = await watchStatements(service)
  try {
    const fresh = await createBrandedApplication(service)
    await fresh.brand({ color: '#123456' })
    const { location } = await openTab(service.url).open(authorizeUrl('', { client_id: fresh.clientId }))
    const open = (path: string) => fetch(service.url + path)
    const countQueries = (work: () => Promise<unknown>) =>
      watch.list(work).then((all) => all.filter(({ query }) => query.includes('brandings')).length)
    expect(await countQueries(() => open('/login'))).toBe(0)
    expect(await countQueries(() => open(location))).toBe(1)
    expect(await countQueries(() => open(location))).toBe(0)
  } finally {
    await watch.close()
  }
})

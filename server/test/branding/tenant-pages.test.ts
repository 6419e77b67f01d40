import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser, insertUser } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import { createNamedHost } from '../invitations/hosts.ts'
import type { TestService } from '../support/service.ts'
import { admin, authorizeUrl, PASSWORD, startDemoService } from '../support/world.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import { approve, type BrandedApplication, newBrandedTenant } from './calls.ts'
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

describe('the branding of a tenant in the request', () => {
  test('takes precedence over the application while it is approved and the tenant is not suspended', async () => {
    const { brand, company, owner, path, approve: letShow } = await newBrandedTenant(service)
    await letShow()
    const tab = () => openTab(service.url)
    const getBrand = async () => brandOn((await follow(tab(), authorizePath({ tenant: company.slug }))).html)
    const suspend = (suspended: boolean) =>
      admin(service.url, `/api/admin/tenants/${company.id}`, { suspended }, 'PATCH')
    expect(await getBrand()).toEqual(REPORTS)
    await brand({ displayName: 'Harbour House', color: '#0b7285' })
    const tenantBrand = toBrand('Harbour House', { logo: undefined, color: '0b7285' })
    expect(await getBrand()).toEqual(tenantBrand)
    // The page still names the application.
    expect((await follow(tab(), authorizePath({ tenant: company.slug }))).text).toContain('to continue to Reports')
    await suspend(true)
    expect(await getBrand()).toEqual(REPORTS)
    await suspend(false)
    expect(await getBrand()).toEqual(tenantBrand)
    const { tokens } = await owner.signInAgain()
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect((await fetch(service.url + path, { method: 'DELETE', headers })).status).toBe(200)
    expect(await getBrand()).toEqual(REPORTS)
  })

  test('T174: without approval is shown only to signed-in members', async () => {
    const { brand, company } = await newBrandedTenant(service)
    await brand({ displayName: 'Harbour House' })
    const tenantBrand = toBrand('Harbour House', { logo: undefined, color: undefined })
    const person = await createSignedInUser(service)
    await insertMembership(service, company, person)
    const tab = openTab(service.url)
    const login = await follow(tab, authorizePath({ tenant: company.slug }))
    expect(brandOn(login.html)).toEqual(REPORTS)
    const wrong = await submit(tab, { email: person.email, password: 'not the password' })
    expect(brandOn(wrong.html)).toEqual(REPORTS)
    const consent = await submit(tab, { email: person.email, password: PASSWORD })
    expect(consent.text).toContain('Allow Reports?')
    expect(brandOn(consent.html)).toEqual(tenantBrand)

    const choice = authorizePath({ tenant: company.slug, prompt: 'select_account' })
    const seenBy = async ({ cookie }: { cookie: string }) =>
      brandOn((await follow(openTab(service.url, cookie), choice)).html)
    expect(await seenBy(await person.signInAgain())).toEqual(tenantBrand)
    const nonMember = await createSignedInUser(service)
    expect(await seenBy(nonMember)).toEqual(REPORTS)
    // Invited and suspended members do not see it.
    const { db } = service.ctx
    const membershipId = await insertMembership(service, company, nonMember, { status: 'INVITED' })
    expect(await seenBy(nonMember)).toEqual(REPORTS)
    const joined = { joined_at: new Date(), invited_until: null }
    await db
      .updateTable('memberships')
      .set({ status: 'ACTIVE', ...joined })
      .where('id', '=', membershipId)
      .execute()
    expect(await seenBy(nonMember)).toEqual(tenantBrand)
    await db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('id', '=', membershipId).execute()
    expect(await seenBy(nonMember)).toEqual(REPORTS)
  })

  test('T174: approval and its withdrawal by an operator apply immediately and are recorded', async () => {
    const { brand, company } = await newBrandedTenant(service)
    await brand({ displayName: 'Harbour House' })
    const getBrand = async () =>
      brandOn((await follow(openTab(service.url), authorizePath({ tenant: company.slug }))).html)
    for (const approved of [true, true, false]) {
      await approve(service, company.id, approved)
      expect(await getBrand()).toMatchObject(approved ? { name: 'Harbour House' } : REPORTS)
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

  test('with an unknown or invalid tenant is that of the application', async () => {
    for (const tenant of ['no-such-tenant', '../../etc', '<script>', 'x'.repeat(500)]) {
      const page = await follow(openTab(service.url), authorizePath({ tenant }))
      expect(brandOn(page.html)).toEqual(REPORTS)
    }
  })
})

test('T174: the invitation of a tenant without approval shows its brand only after joining', async () => {
  const host = await createNamedHost(service, { given_name: 'Hanna', tenantName: 'Row House' })
  await host.user.call('PUT', `/api/tenants/${host.tenant.id}/branding`, { color: '#0b7285' })
  const { path } = await host.invite()
  const tab = openTab(service.url)
  const invited = await tab.open(path)
  expect(invited.text).toContain('Join Row House')
  expect(brandOn(invited.html)).toEqual(DEFAULT_BRAND)
  const filled = { givenName: 'New', familyName: 'Comer', password: 'a harbour full of boats' }
  expect(brandOn((await tab.submit(filled)).html)).toMatchObject(toBrand('Row House', { color: '0b7285' }))

  const existingUser = await insertUser(service)
  const other = openTab(service.url)
  const link = linkOn(
    (await other.open((await host.invite({ email: existingUser.email })).path)).html,
    'Sign in to accept',
  )
  expect(brandOn((await follow(other, link)).html)).toEqual(DEFAULT_BRAND)
})

test('the invitation of an approved tenant shows its brand on every page', async () => {
  const host = await createNamedHost(service, { given_name: 'Hanna', tenantName: 'Boat House' })
  await approve(service, host.tenant.id)
  const before = await host.invite()
  expect(brandOn((await openTab(service.url).open(before.path)).html)).toEqual(DEFAULT_BRAND)
  await host.user.call('PUT', `/api/tenants/${host.tenant.id}/branding`, { color: '#0b7285' })
  const tenantBrand = toBrand('Boat House', { logo: undefined, color: '0b7285' })
  const tab = openTab(service.url)
  expect(brandOn((await tab.open(before.path)).html)).toEqual(tenantBrand)
  const refused = await tab.submit({ givenName: 'New', familyName: 'Comer', password: 'short' })
  expect(brandOn(refused.html)).toEqual(tenantBrand)
  const filled = { givenName: 'New', familyName: 'Comer', password: 'a harbour full of boats' }
  const joined = await tab.submit(filled)
  expect(joined.text).toContain('You are now a member of Boat House')
  expect(brandOn(joined.html)).toEqual(tenantBrand)

  const existingUser = await insertUser(service)
  const { path } = await host.invite({ email: existingUser.email })
  const other = openTab(service.url)
  const login = await follow(other, linkOn((await other.open(path)).html, 'Sign in to accept'))
  expect(login.text).toContain('Sign in')
  expect(brandOn(login.html)).toEqual(tenantBrand)
})

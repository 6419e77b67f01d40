import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callAdmin, newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody } from '../support/calls.ts'
import { inviteNewAddress } from '../support/invitations.ts'
import { authorize } from '../support/oauth.ts'
import { baseUrl } from '../support/service.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { newCaller, newMember, newOwnedTenant } from '../support/tenants.ts'

/** One white pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==',
  'base64',
)
const LOGO = `data:image/png;base64,${PNG.toString('base64')}`
const LOGO_URL = `/branding/${createHash('sha256').update(PNG).digest('hex')}`
const NONE = { displayName: null, color: null, theme: null, logoUrl: null, updatedAt: null }

const applicationId = await newApplication()
const client = await newClient(applicationId, 'SPA')
const { tenant, owner } = await newOwnedTenant('Harbor House')
/** Relative to /api/admin. */
const ADMIN_PATH = `/applications/${applicationId}/branding`
const TENANT_PATH = `/api/tenants/${tenant.id}/branding`

/** The sign-in page of an authorization request. */
const signInPage = async (extra: Record<string, string> = {}) => (await authorize(openBrowser(), client, extra)).text()
/** The title is `<page> · <brand>`. */
const brandNameOf = (html: string) => / · ([^<]*)<\/title>/.exec(html)?.[1]

describe('an application', () => {
  test('has no branding by default, and shows its branding on its sign-in page', async () => {
    expect(await callAdmin('GET', ADMIN_PATH)).toMatchObject({ status: 200, body: NONE })
    expect(brandNameOf(await signInPage())).toBe('Latchkey')
    const { status, body } = await callAdmin('PUT', ADMIN_PATH, {
      displayName: 'Reports',
      color: '#0B5ED7',
      logo: LOGO,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      displayName: 'Reports',
      color: '#0b5ed7',
      theme: null,
      logoUrl: LOGO_URL,
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    expect((await callAdmin('GET', ADMIN_PATH)).body).toEqual(body)
    const html = await signInPage()
    expect(brandNameOf(html)).toBe('Reports')
    expect(html).toContain(`src="${LOGO_URL}"`)
    expect(html).toContain('alt="Reports"')
    expect(html).toContain('Secured by Latchkey')
    const sheet = await fetch(baseUrl + (/href="(\/assets\/brand-[^"]+\.css)"/.exec(html)?.[1] ?? ''))
    expect(sheet.headers.get('content-type')).toMatch(/^text\/css/)
    expect(sheet.headers.get('cache-control')).toContain('immutable')
  })

  test('its logo is served as an image only', async () => {
    await callAdmin('PUT', ADMIN_PATH, { displayName: 'Reports', logo: LOGO })
    const response = await fetch(baseUrl + LOGO_URL)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG)
    expect((await fetch(`${baseUrl}/branding/${'0'.repeat(64)}`)).status).toBe(404)
  })

  test.each([
    ['displayName', { displayName: '' }],
    ['displayName', { displayName: 'Sign in at evil.test/login' }],
    ['color', { color: 'blue' }],
    ['logo', { logo: `data:image/png;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}` }],
    ['logo', { logo: `data:image/png;base64,${PNG.subarray(0, 40).toString('base64')}` }],
    ['logo', { logo: 'https://example.com/logo.png' }],
  ])('an invalid %s is a field error', async (field, body) => {
    const response = await callAdmin('PUT', ADMIN_PATH, body)
    expect(response.status).toBe(422)
    expect(response.body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
    )
  })

  test('can be branded by operators only', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { color: '#000000' } : undefined
      const path = `/api/admin${ADMIN_PATH}`
      expect((await call(method, path, { body })).status).toBe(401)
      expect((await call(method, path, { headers: owner.headers, body })).status).toBe(403)
    }
  })
})

// These tests share the tenant and run in order.
describe('a tenant', () => {
  const brand = (body: unknown, { headers } = owner) => call('PUT', TENANT_PATH, { headers, body })

  test('can be branded by its owners and admins, and its members can read it', async () => {
    const admin = await newMember(owner.headers, tenant.id, 'admin')
    const member = await newMember(owner.headers, tenant.id, 'member')
    const outsider = await newCaller()
    expect((await brand({ displayName: 'Blue Pier' }, admin)).status).toBe(200)
    expect((await brand({ displayName: 'Mine' }, member)).body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect((await call('GET', TENANT_PATH, member)).body).toMatchObject({ displayName: 'Blue Pier' })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { displayName: 'Ours' } : undefined
      const response = await call(method, TENANT_PATH, { headers: outsider.headers, body })
      expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
  })

  const setApproval = async (approved: boolean) => {
    const { status, body } = await callAdmin('PATCH', `/tenants/${tenant.id}`, { brandingApproved: approved })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: tenant.id, brandingApproved: approved })
  }

  test('T179: an unapproved brand is not shown before sign-in', async () => {
    await callAdmin('PUT', ADMIN_PATH, { displayName: 'Reports' })
    await brand({ displayName: 'Blue Pier', color: '#0b7285' })
    const forTenant = { tenant: tenant.slug }
    // The owner cannot approve it. `settings` makes the request valid; `brandingApproved` is ignored.
    await call('PATCH', `/api/tenants/${tenant.id}`, {
      headers: owner.headers,
      body: { brandingApproved: true, settings: { a: 1 } },
    })
    expect((await callAdmin('GET', `/tenants/${tenant.id}`)).body).toMatchObject({ brandingApproved: false })
    const browser = openBrowser()
    const login = await (await authorize(browser, client, forTenant)).text()
    expect(brandNameOf(login)).toBe('Reports')
    for (const words of ['Create an account', 'Forgot your password']) {
      const link = new RegExp(`href="([^"]*)"[^>]*>${words}`).exec(login)?.[1] ?? ''
      const page = await browser.get(link.replaceAll('&amp;', '&'))
      expect(brandNameOf(await page.text()), words).toBe('Reports')
    }
    const { token } = await inviteNewAddress(owner.headers, tenant.id)
    const invitationPage = await (await fetch(`${baseUrl}/invitations/${token}`)).text()
    expect(invitationPage).toContain('Harbor House')
    expect(brandNameOf(invitationPage)).toBe('Latchkey')

    await setApproval(true)
    expect(brandNameOf(await signInPage(forTenant))).toBe('Blue Pier')
    expect(brandNameOf(await (await fetch(`${baseUrl}/invitations/${token}`)).text())).toBe('Blue Pier')
    await setApproval(false)
    expect(brandNameOf(await signInPage(forTenant))).toBe('Reports')
  })

  test('T179: an unapproved brand is shown after sign-in to members only', async () => {
    await brand({ displayName: 'Blue Pier', color: '#0b7285' })
    const application = await newApplication({ trusted: false })
    const other = await newClient(application, 'SPA')
    const consent = await authorize(await owner.person.signIn(), other, { tenant: tenant.slug })
    const html = await consent.text()
    expect(html).toContain('Allow ')
    expect(brandNameOf(html)).toBe('Blue Pier')
    // The account selection page also requires a session.
    const accountSelection = { tenant: tenant.slug, prompt: 'select_account' }
    const memberPage = await (await authorize(await owner.person.signIn(), other, accountSelection)).text()
    expect(brandNameOf(memberPage)).toBe('Blue Pier')
    const outsider = await newCaller()
    const outsiderPage = await (await authorize(await outsider.person.signIn(), other, accountSelection)).text()
    expect(outsiderPage).toContain('Choose an account')
    expect(brandNameOf(outsiderPage)).toBe('Latchkey')
  })

  test('an approved brand of the requested tenant has priority over that of the application', async () => {
    await callAdmin('PUT', ADMIN_PATH, { displayName: 'Reports' })
    await brand({ displayName: 'Blue Pier', color: '#0b7285' })
    await setApproval(true)
    expect(brandNameOf(await signInPage())).toBe('Reports')
    expect(brandNameOf(await signInPage({ tenant: tenant.slug }))).toBe('Blue Pier')
    const removed = await call('DELETE', TENANT_PATH, owner)
    expect(removed).toMatchObject({ status: 200, body: { success: true } })
    expect((await call('GET', TENANT_PATH, owner)).body).toEqual(NONE)
    expect(brandNameOf(await signInPage({ tenant: tenant.slug }))).toBe('Reports')
  })

  test('concurrent changes result in one of the two brands', async () => {
    const brands = [
      { displayName: 'One', color: '#111111' },
      { displayName: 'Two', color: '#222222' },
    ]
    const responses = await Promise.all(brands.map((candidate) => brand(candidate)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    const { displayName, color } = (await call('GET', TENANT_PATH, owner)).body
    expect(brands).toContainEqual({ displayName, color })
  })
})

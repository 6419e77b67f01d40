import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { admin, newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, refusal } from '../support/calls.ts'
import { inviteStranger } from '../support/invitations.ts'
import { authorize } from '../support/oauth.ts'
import { base } from '../support/service.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { newInsider, newMember, newOwnedTenant } from '../support/tenants.ts'

/** One white pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==',
  'base64',
)
const LOGO = `data:image/png;base64,${PNG.toString('base64')}`
const LOGO_URL = `/branding/${createHash('sha256').update(PNG).digest('hex')}`
const NONE = { displayName: null, color: null, logoUrl: null, updatedAt: null }

const applicationId = await newApplication()
const client = await newClient(applicationId, 'SPA')
const { tenant, owner } = await newOwnedTenant('Harbour House')
const PATH = `/applications/${applicationId}/branding`
const TENANT_PATH = `/api/tenants/${tenant.id}/branding`

/** The sign-in page on the way to the application. */
const signInPage = async (extra: Record<string, string> = {}) =>
  (await authorize(openBrowser(), client, extra)).text()
const titleOf = (html: string) => / · ([^<]*)<\/title>/.exec(html)?.[1]

describe('an application', () => {
  test('has no branding until it is given one, and shows it on its sign-in page', async () => {
    expect(await admin('GET', PATH)).toMatchObject({ status: 200, body: NONE })
    expect(titleOf(await signInPage())).toBe('Latchkey')
    const { status, body } = await admin('PUT', PATH, {
      displayName: 'Reports',
      color: '#FFD43B',
      logo: LOGO,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ displayName: 'Reports', color: '#ffd43b', logoUrl: LOGO_URL },
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    expect((await admin('GET', PATH)).body).toEqual(body)
    const html = await signInPage()
    expect(titleOf(html)).toBe('Reports')
    expect(html).toContain(`src="${LOGO_URL}"`)
    expect(html).toContain('alt="Reports"')
    expect(html).toContain('Secured by Latchkey')
    const sheet = await fetch(base + (/href="(\/assets\/brand-[^"]+\.css)"/.exec(html)?.[1] ?? ''))
    expect(sheet.headers.get('content-type')).toMatch(/^text\/css/)
    expect(sheet.headers.get('cache-control')).toContain('immutable')
  })

  test('has its logo served from here, as a picture and nothing else', async () => {
    await admin('PUT', PATH, { displayName: 'Reports', logo: LOGO })
    const response = await fetch(base + LOGO_URL)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG)
    expect((await fetch(`${base}/branding/${'0'.repeat(64)}`)).status).toBe(404)
  })

  test.each([
    ['displayName', { displayName: '' }],
    ['displayName', { displayName: 'Sign in at evil.test/login' }],
    ['color', { color: 'blue' }],
    ['logo', { logo: `data:image/png;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}` }],
    ['logo', { logo: `data:image/png;base64,${PNG.subarray(0, 40).toString('base64')}` }],
    ['logo', { logo: 'https://example.com/logo.png' }],
  ])('is refused a wrong %s by the name of the field', async (field, body) => {
    const answer = await admin('PUT', PATH, body)
    expect(answer.status).toBe(422)
    expect(answer.body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
    )
  })

  test('is branded by operators alone', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { color: '#000000' } : undefined
      const path = `/api/admin${PATH}`
      expect((await call(method, path, { body })).status).toBe(401)
      expect((await call(method, path, { headers: owner.headers, body })).status).toBe(403)
    }
  })
})

describe('a tenant', () => {
  const brand = (body: unknown, { headers } = owner) => call('PUT', TENANT_PATH, { headers, body })

  test('is branded by its owners and admins, and seen by its members', async () => {
    const colleague = await newMember(owner.headers, tenant.id, 'admin')
    const member = await newMember(owner.headers, tenant.id, 'member')
    const { headers } = await newInsider()
    expect((await brand({ displayName: 'Harbour' }, colleague)).status).toBe(200)
    expect((await brand({ displayName: 'Mine' }, member)).body).toEqual(refusal(403, 'FORBIDDEN'))
    expect((await call('GET', TENANT_PATH, member)).body).toMatchObject({ displayName: 'Harbour' })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { displayName: 'Ours' } : undefined
      expect((await call(method, TENANT_PATH, { headers, body })).body).toEqual(refusal(403, 'FORBIDDEN'))
    }
  })

  const approve = async (brandingApproved: boolean) => {
    const { status, body } = await admin('PATCH', `/tenants/${tenant.id}`, { brandingApproved })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: tenant.id, brandingApproved })
  }

  test('T179: that no operator has approved shows its brand on no page before the sign-in', async () => {
    await admin('PUT', PATH, { displayName: 'Reports' })
    await brand({ displayName: 'Harbour', color: '#0b7285' })
    const named = { tenant: tenant.slug }
    // Its owner cannot do that.
    await call('PATCH', `/api/tenants/${tenant.id}`, {
      headers: owner.headers,
      body: { brandingApproved: true, settings: { a: 1 } },
    })
    expect((await admin('GET', `/tenants/${tenant.id}`)).body).toMatchObject({ brandingApproved: false })
    const browser = openBrowser()
    const login = await (await authorize(browser, client, named)).text()
    expect(titleOf(login)).toBe('Reports')
    for (const words of ['Create an account', 'Forgot your password']) {
      const link = new RegExp(`href="([^"]*)"[^>]*>${words}`).exec(login)?.[1] ?? ''
      const page = await browser.get(link.replaceAll('&amp;', '&'))
      expect(titleOf(await page.text()), words).toBe('Reports')
    }
    const { token } = await inviteStranger(owner.headers, tenant.id)
    const invited = await (await fetch(`${base}/invitations/${token}`)).text()
    expect(invited).toContain('Harbour House')
    expect(titleOf(invited)).toBe('Latchkey')

    await approve(true)
    expect(titleOf(await signInPage(named))).toBe('Harbour')
    expect(titleOf(await (await fetch(`${base}/invitations/${token}`)).text())).toBe('Harbour')
    await approve(false)
    expect(titleOf(await signInPage(named))).toBe('Reports')
  })

  test('T179: shows its brand to its members once they are signed in, and to nobody else', async () => {
    await admin('PUT', PATH, { displayName: 'Reports' })
    await brand({ displayName: 'Harbour', color: '#0b7285' })
    const application = await newApplication({ trusted: false })
    const other = await newClient(application, 'SPA')
    const consent = await authorize(await owner.person.signIn(), other, { tenant: tenant.slug })
    const html = await consent.text()
    expect(html).toContain('Allow ')
    expect(titleOf(html)).toBe('Harbour')
    // Whoever is asked which account it shall be is signed in, too.
    const choose = { tenant: tenant.slug, prompt: 'select_account' }
    const member = await (await authorize(await owner.person.signIn(), other, choose)).text()
    expect(titleOf(member)).toBe('Harbour')
    const { person } = await newInsider()
    const stranger = await (await authorize(await person.signIn(), other, choose)).text()
    expect(stranger).toContain('Choose an account')
    expect(titleOf(stranger)).toBe('Latchkey')
  })

  test('that the request names and an operator has approved comes before the application', async () => {
    await admin('PUT', PATH, { displayName: 'Reports' })
    await brand({ displayName: 'Harbour', color: '#0b7285' })
    await approve(true)
    expect(titleOf(await signInPage())).toBe('Reports')
    expect(titleOf(await signInPage({ tenant: tenant.slug }))).toBe('Harbour')
    const removed = await call('DELETE', TENANT_PATH, owner)
    expect(removed).toMatchObject({ status: 200, body: { success: true } })
    expect((await call('GET', TENANT_PATH, owner)).body).toEqual(NONE)
    expect(titleOf(await signInPage({ tenant: tenant.slug }))).toBe('Reports')
  })

  test('that two people brand at once has what one of them wanted', async () => {
    const wishes = [
      { displayName: 'One', color: '#111111' },
      { displayName: 'Two', color: '#222222' },
    ]
    const answers = await Promise.all(wishes.map((wish) => brand(wish)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { displayName, color } = (await call('GET', TENANT_PATH, owner)).body
    expect(wishes).toContainEqual({ displayName, color })
  })
})

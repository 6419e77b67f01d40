import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { BY_OPS, captureEntries, captureEntry, logText } from '../audit/entries.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, obtainTokens, signIn, startDemoService } from '../support/world.ts'
import { type BrandedApplication, createBrandedApplication, NO_BRANDING, newBrandedTenant } from './calls.ts'
import { asDataUrl, jpegOf, LOGO, OTHER_LOGO, pngOf, pngWith, webpOf } from './images.ts'

let service: TestService
let application: BrandedApplication
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())
beforeEach(async () => {
  application = await createBrandedApplication(service)
})

const hashOf = (logo: string) =>
  createHash('sha256')
    .update(Buffer.from(logo.split(',')[1] ?? '', 'base64'))
    .digest('hex')
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

describe('the branding of an application', () => {
  test('is empty at first and after it is removed', async () => {
    expect(await application.show()).toMatchObject({ status: 200, body: NO_BRANDING })
    const input = { displayName: '  Reports  ', color: '#0B5ED7', logo: LOGO }
    const { status, body } = await application.brand(input)
    const logoUrl = `/branding/${hashOf(LOGO)}`
    expect({ status, body }).toEqual({
      status: 200,
      body: { displayName: 'Reports', color: '#0b5ed7', theme: null, logoUrl, updatedAt: TIME },
    })
    expect((await application.show()).body).toEqual(body)
    expect((await application.unbrand()).body).toEqual({ success: true, message: 'Branding removed' })
    expect((await application.show()).body).toEqual(NO_BRANDING)
    expect((await fetch(service.url + logoUrl)).status).toBe(404)
    expect((await application.unbrand()).status).toBe(200)
  })

  test('is replaced as a whole, except for a logo that is left out', async () => {
    await application.brand({ displayName: 'Reports', color: '#112233', logo: LOGO })
    const kept = await application.brand({ color: '#445566' })
    expect(kept.body).toMatchObject({
      displayName: null,
      color: '#445566',
      logoUrl: `/branding/${hashOf(LOGO)}`,
    })
    const other = await application.brand({ logo: OTHER_LOGO })
    expect(other.body).toMatchObject({ color: null, logoUrl: `/branding/${hashOf(OTHER_LOGO)}` })
    expect((await application.brand({ displayName: 'R', logo: null })).body).toMatchObject({ logoUrl: null })
    expect((await application.brand({ displayName: null, color: null })).body).toEqual(NO_BRANDING)
  })

  test('can be read and changed by operators only', async () => {
    const path = `${service.url}/api/admin/applications/${application.id}/branding`
    const member = (await obtainTokens(service.url, await signIn(service.url, 'olivia@acme.test'))).access_token
    const machine = await machineToken(service.url, 'demo-machine')
    for (const [token, status] of [
      [member, 403],
      [machine, 403],
      ['no.such.token', 401],
    ] as const) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { color: '#000000' } : undefined
        const response = await call(path, { method, headers: { authorization: `Bearer ${token}` }, body })
        expect(response.status, method).toBe(status)
      }
    }
    expect((await application.show()).body).toEqual(NO_BRANDING)
  })

  test('is not found after the application is deleted', async () => {
    await application.brand({ logo: LOGO, color: '#112233' })
    expect((await application.remove()).status).toBe(200)
    for (const response of [
      await application.show(),
      await application.brand({ color: '#112233' }),
      await application.unbrand(),
    ]) {
      expect(response).toMatchObject({ status: 404, body: { error: 'APPLICATION_NOT_FOUND' } })
    }
    expect((await fetch(`${service.url}/branding/${hashOf(LOGO)}`)).status).toBe(404)
  })

  test('is recorded in the audit log with its changes, but without the image', async () => {
    const first = await captureEntry(service, () => application.brand({ color: '#112233', logo: LOGO }))
    expect(first).toMatchObject({
      action: 'application.branding_changed',
      ...BY_OPS,
      details: {
        applicationId: application.id,
        before: { color: null, logo: null },
        after: { color: '#112233', logo: hashOf(LOGO) },
      },
    })
    // A change without effect is not recorded.
    expect(await captureEntries(service, () => application.brand({ color: '#112233' }))).toEqual([])
    const removal = await captureEntry(service, () => application.unbrand())
    expect(removal.details).toMatchObject({ after: { color: null, logo: null } })
    expect(await logText(service)).not.toContain(LOGO.split(',')[1]?.slice(0, 60))
  })

  test('after two concurrent replacements is exactly one of the two', async () => {
    const one = { displayName: 'One', color: '#111111', logo: LOGO }
    const two = { displayName: 'Two', color: '#222222', logo: OTHER_LOGO }
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all([application.brand(one), application.brand(two)])
      expect(responses.map(({ status }) => status)).toEqual([200, 200])
      const { body } = await application.show()
      const last = body.displayName === 'One' ? one : two
      expect(body).toMatchObject({ color: last.color, logoUrl: `/branding/${hashOf(last.logo)}` })
    }
  })

  test('can be created twice concurrently, and both changes are recorded', async () => {
    const entries = await captureEntries(service, () =>
      Promise.all([application.brand({ color: '#111111' }), application.brand({ displayName: 'Two' })]),
    )
    expect(entries.map(({ action }) => action)).toEqual(Array(2).fill('application.branding_changed'))
  })
})

describe('the contrast of a color', () => {
  const colorProblem = async (color: string) => {
    const { status, body } = await application.brand({ color })
    expect(status).toBe(422)
    return (body.details as { field: string; message: string }[])[0]
  }

  test('is measured against the pages, and the error names it and a color that has enough', async () => {
    expect(await colorProblem('#ffd43b')).toEqual({
      field: 'color',
      message: expect.stringMatching(
        /^has a contrast of 1\.4\d? : 1 with the pages \(#ffffff\); it needs 4\.5 : 1, as #[0-9a-f]{6} has$/,
      ),
    })
    const nearest = /as (#[0-9a-f]{6}) has/.exec((await colorProblem('#2f9e44'))?.message ?? '')?.[1]
    expect((await application.brand({ color: nearest })).status).toBe(200)
    expect((await application.show()).body).toMatchObject({ color: nearest })
  })

  test('of #777777 is just too little, and is not shown as enough', async () => {
    expect((await colorProblem('#777777'))?.message).toMatch(/^has a contrast of 4\.47 : 1/)
    expect((await application.brand({ color: '#767676' })).status).toBe(200)
  })

  test('is not measured again for a color from before the rule', async () => {
    await service.ctx.db
      .insertInto('brandings')
      .values({ application_id: application.id, color: '#ffd43b', updated_at: service.ctx.now() })
      .execute()
    expect((await application.brand({ color: '#ffd43b', displayName: 'Reports' })).status).toBe(200)
    expect((await application.show()).body).toMatchObject({ color: '#ffd43b', displayName: 'Reports' })
  })
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const HTML = '<!doctype html><script>alert(1)</script>'
const INVALID: [string, object, string][] = [
  ['a name of spaces', { displayName: '  ' }, 'displayName'],
  ['a name of 61 characters', { displayName: 'n'.repeat(61) }, 'displayName'],
  ['a name of two lines', { displayName: 'a\nb' }, 'displayName'],
  ['a name with a bidirectional control character', { displayName: 'a\u202eb' }, 'displayName'],
  ['a named color', { color: 'red' }, 'color'],
  ['a short color', { color: '#fff' }, 'color'],
  ['an unknown theme', { theme: 'dark' }, 'theme'],
  ['a color with trailing CSS', { color: '#ffffff;}body{' }, 'color'],
  ['an SVG', { logo: asDataUrl(Buffer.from(SVG), 'image/svg+xml') }, 'logo'],
  ['an SVG declared as PNG', { logo: asDataUrl(Buffer.from(SVG)) }, 'logo'],
  ['HTML declared as PNG', { logo: asDataUrl(Buffer.from(HTML)) }, 'logo'],
  [
    'HTML after the signature of a PNG',
    { logo: asDataUrl(Buffer.concat([pngOf(1, 1).subarray(0, 8), Buffer.from(HTML)])) },
    'logo',
  ],
  ['a PNG followed by HTML', { logo: asDataUrl(Buffer.concat([pngOf(1, 1), Buffer.from(HTML)])) }, 'logo'],
  ['an incomplete PNG', { logo: asDataUrl(pngOf(40, 40).subarray(0, 50)) }, 'logo'],
  ['a GIF', { logo: asDataUrl(Buffer.from('GIF89a\u0001\0\u0001\0'), 'image/gif') }, 'logo'],
  ['a PNG that is too wide', { logo: asDataUrl(pngOf(1025, 1)) }, 'logo'],
  ['a PNG with a huge height in its header', { logo: asDataUrl(pngOf(1, 1, { claimed: 0x7fffffff })) }, 'logo'],
  ['a JPEG that is too high', { logo: asDataUrl(jpegOf(10, 1025), 'image/jpeg') }, 'logo'],
  ['a WebP that is too wide', { logo: asDataUrl(webpOf(1025, 10), 'image/webp') }, 'logo'],
  ['more than 64 KiB', { logo: asDataUrl(pngWith(65_536)) }, 'logo'],
  ['500 KB', { logo: asDataUrl(Buffer.alloc(500_000)) }, 'logo'],
  ['an empty logo', { logo: '' }, 'logo'],
  ['an https: URL', { logo: 'https://images.test/logo.png' }, 'logo'],
  ['invalid base64', { logo: 'data:image/png;base64,@@@@' }, 'logo'],
  ['a data: URL without base64', { logo: 'data:image/png,abc' }, 'logo'],
  ['a number', { logo: 5 }, 'logo'],
]

describe('validation of a branding', () => {
  test.each(INVALID)('%s is refused with the name of the field, and nothing changes', async (_what, input, field) => {
    await application.brand({ displayName: 'Before', logo: LOGO })
    const before = (await application.show()).body
    const { status, body } = await application.brand(input)
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { error: 'VALIDATION_FAILED', details: [{ field, message: expect.any(String) }] },
    })
    expect((await application.show()).body).toEqual(before)
  })

  test('a name of 60 characters and a logo of exactly 64 KiB are accepted', async () => {
    const overhead = pngWith(0).length
    const logo = asDataUrl(pngWith(65_536 - overhead))
    expect((await application.brand({ displayName: '😀'.repeat(60), logo })).status).toBe(200)
  })
})

describe('a logo', () => {
  test.each([
    ['a PNG', pngOf(30, 20), 'image/png'],
    ['a JPEG', jpegOf(30, 20), 'image/jpeg'],
    ['a WebP', webpOf(30, 20), 'image/webp'],
  ])(
    'that is %s is served with its detected type and with headers that prevent script execution',
    async (_what, bytes, type) => {
      const { body } = await application.brand({ logo: asDataUrl(bytes, 'image/x-whatever') })
      const response = await fetch(service.url + String(body.logoUrl))
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    },
  )

  test('that does not exist is not found, and the response is not cacheable', async () => {
    for (const name of ['0'.repeat(64), 'x', '%00', `${'0'.repeat(63)}'`, hashOf(LOGO).toUpperCase()]) {
      const response = await fetch(`${service.url}/branding/${name}`)
      expect(response.status, name).toBe(404)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('that two applications share is served until both have removed it', async () => {
    const other = await createBrandedApplication(service)
    const logo = asDataUrl(pngOf(7, 5))
    const { body } = await application.brand({ logo })
    await other.brand({ logo })
    await application.unbrand()
    expect((await fetch(service.url + String(body.logoUrl))).status).toBe(200)
    await other.unbrand()
    expect((await fetch(service.url + String(body.logoUrl))).status).toBe(404)
  })
})

describe('the branding of a tenant', () => {
  test('is returned to its members and recorded in the audit log of the tenant', async () => {
    const { brand, show, company, owner } = await newBrandedTenant(service)
    expect((await show()).body).toEqual(NO_BRANDING)
    const entry = await captureEntry(service, () => brand({ displayName: 'Acme', logo: LOGO }))
    expect(entry).toMatchObject({
      action: 'tenant.branding_changed',
      tenant_id: company.id,
      actor_id: owner.id,
      details: {
        before: { displayName: null, logo: null },
        after: { displayName: 'Acme', logo: hashOf(LOGO) },
      },
    })
    expect((await show()).body).toMatchObject({ displayName: 'Acme', logoUrl: `/branding/${hashOf(LOGO)}` })
  })

  test('is not accessible to another tenant, and is deleted with its own', async () => {
    const [ours, theirs] = [await newBrandedTenant(service), await newBrandedTenant(service)]
    const logo = asDataUrl(pngOf(11, 13))
    const { body } = await theirs.brand({ displayName: 'Theirs', logo })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await ours.owner.call(method, theirs.path, method === 'PUT' ? { color: '#000000' } : undefined)
      expect(response.status).toBe(403)
      expect(JSON.stringify(response.body)).not.toContain('Theirs')
    }
    expect((await theirs.show()).body).toEqual(body)
    expect((await theirs.owner.call('DELETE', `/api/tenants/${theirs.company.id}`)).status).toBe(200)
    expect((await fetch(service.url + String(body.logoUrl))).status).toBe(404)
  })
})

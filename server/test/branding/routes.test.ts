import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { BY_OPS, entriesOfWork, entryOfWork, logText } from '../audit/entries.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, obtainTokens, signIn, startWorld } from '../support/world.ts'
import { type Branded, NONE, newBranded, newBrandedTenant } from './calls.ts'
import { asDataUrl, jpegOf, LOGO, OTHER_LOGO, pngOf, pngWith, webpOf } from './pictures.ts'

let service: TestService
let application: Branded
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())
beforeEach(async () => {
  application = await newBranded(service)
})

const hashOf = (logo: string) =>
  createHash('sha256')
    .update(Buffer.from(logo.split(',')[1] ?? '', 'base64'))
    .digest('hex')
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

describe('the branding of an application', () => {
  test('is nothing until it is chosen, and nothing again when it is removed', async () => {
    expect(await application.show()).toMatchObject({ status: 200, body: NONE })
    const chosen = { displayName: '  Reports  ', color: '#ABCDEF', logo: LOGO }
    const { status, body } = await application.brand(chosen)
    const logoUrl = `/branding/${hashOf(LOGO)}`
    expect({ status, body }).toEqual({
      status: 200,
      body: { displayName: 'Reports', color: '#abcdef', logoUrl, updatedAt: TIME },
    })
    expect((await application.show()).body).toEqual(body)
    expect((await application.unbrand()).body).toEqual({ success: true, message: 'Branding removed' })
    expect((await application.show()).body).toEqual(NONE)
    expect((await fetch(service.url + logoUrl)).status).toBe(404)
    expect((await application.unbrand()).status).toBe(200)
  })

  test('is replaced as a whole, but for a logo of which nothing is said', async () => {
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
    expect((await application.brand({ displayName: null, color: null })).body).toEqual(NONE)
  })

  test('is the operator’s alone', async () => {
    const path = `${service.url}/api/admin/applications/${application.id}/branding`
    const member = (await obtainTokens(service.url, await signIn(service.url, 'olivia@acme.test')))
      .access_token
    const machine = await machineToken(service.url, 'demo-machine')
    for (const [token, status] of [
      [member, 403],
      [machine, 403],
      ['no.such.token', 401],
    ] as const) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { color: '#000000' } : undefined
        const answer = await call(path, { method, headers: { authorization: `Bearer ${token}` }, body })
        expect(answer.status, method).toBe(status)
      }
    }
    expect((await application.show()).body).toEqual(NONE)
  })

  test('is that of an application that is there', async () => {
    await application.brand({ logo: LOGO, color: '#112233' })
    expect((await application.remove()).status).toBe(200)
    for (const answer of [
      await application.show(),
      await application.brand({ color: '#112233' }),
      await application.unbrand(),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'APPLICATION_NOT_FOUND' } })
    }
    expect((await fetch(`${service.url}/branding/${hashOf(LOGO)}`)).status).toBe(404)
  })

  test('stands in the log with what has changed, and never with the logo itself', async () => {
    const first = await entryOfWork(service, () => application.brand({ color: '#112233', logo: LOGO }))
    expect(first).toMatchObject({
      ...{ action: 'application.branding_changed', ...BY_OPS },
      details: {
        applicationId: application.id,
        before: { color: null, logo: null },
        after: { color: '#112233', logo: hashOf(LOGO) },
      },
    })
    // What is so already is no change.
    expect(await entriesOfWork(service, () => application.brand({ color: '#112233' }))).toEqual([])
    const gone = await entryOfWork(service, () => application.unbrand())
    expect(gone.details).toMatchObject({ after: { color: null, logo: null } })
    expect(await logText(service)).not.toContain(LOGO.split(',')[1]?.slice(0, 60))
  })

  test('of two who replace it at once is wholly that of one', async () => {
    const one = { displayName: 'One', color: '#111111', logo: LOGO }
    const two = { displayName: 'Two', color: '#222222', logo: OTHER_LOGO }
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([application.brand(one), application.brand(two)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const { body } = await application.show()
      const last = body.displayName === 'One' ? one : two
      expect(body).toMatchObject({ color: last.color, logoUrl: `/branding/${hashOf(last.logo)}` })
    }
  })

  test('of two who begin it at once, both are answered, and none is lost in the log', async () => {
    const entries = await entriesOfWork(service, () =>
      Promise.all([application.brand({ color: '#111111' }), application.brand({ displayName: 'Two' })]),
    )
    expect(entries.map(({ action }) => action)).toEqual(Array(2).fill('application.branding_changed'))
  })
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const HTML = '<!doctype html><script>alert(1)</script>'
const UNFIT: [string, object, string][] = [
  ['no name to be seen', { displayName: '  ' }, 'displayName'],
  ['a name of 61 characters', { displayName: 'n'.repeat(61) }, 'displayName'],
  ['a name of two lines', { displayName: 'a\nb' }, 'displayName'],
  ['a name that turns the text around', { displayName: 'a\u202eb' }, 'displayName'],
  ['a colour by its name', { color: 'red' }, 'color'],
  ['a short colour', { color: '#fff' }, 'color'],
  ['a colour and more', { color: '#ffffff;}body{' }, 'color'],
  ['an SVG', { logo: asDataUrl(Buffer.from(SVG), 'image/svg+xml') }, 'logo'],
  ['an SVG that is called a PNG', { logo: asDataUrl(Buffer.from(SVG)) }, 'logo'],
  ['HTML that is called a PNG', { logo: asDataUrl(Buffer.from(HTML)) }, 'logo'],
  [
    'HTML behind the signature of a PNG',
    { logo: asDataUrl(Buffer.concat([pngOf(1, 1).subarray(0, 8), Buffer.from(HTML)])) },
    'logo',
  ],
  ['a PNG with HTML behind it', { logo: asDataUrl(Buffer.concat([pngOf(1, 1), Buffer.from(HTML)])) }, 'logo'],
  ['half a PNG', { logo: asDataUrl(pngOf(40, 40).subarray(0, 50)) }, 'logo'],
  ['a GIF', { logo: asDataUrl(Buffer.from('GIF89a\u0001\0\u0001\0'), 'image/gif') }, 'logo'],
  ['a PNG that is too wide', { logo: asDataUrl(pngOf(1025, 1)) }, 'logo'],
  ['a PNG that says it is gigantic', { logo: asDataUrl(pngOf(1, 1, { claimed: 0x7fffffff })) }, 'logo'],
  ['a JPEG that is too high', { logo: asDataUrl(jpegOf(10, 1025), 'image/jpeg') }, 'logo'],
  ['a WebP that is too wide', { logo: asDataUrl(webpOf(1025, 10), 'image/webp') }, 'logo'],
  ['more than 64 KiB', { logo: asDataUrl(pngWith(65_536)) }, 'logo'],
  ['far more than that', { logo: asDataUrl(Buffer.alloc(500_000)) }, 'logo'],
  ['nothing', { logo: '' }, 'logo'],
  ['an address elsewhere', { logo: 'https://images.test/logo.png' }, 'logo'],
  ['base64 that is none', { logo: 'data:image/png;base64,@@@@' }, 'logo'],
  ['a data address without base64', { logo: 'data:image/png,abc' }, 'logo'],
  ['a number', { logo: 5 }, 'logo'],
]

describe('what no branding can be', () => {
  test.each(UNFIT)(
    '%s is refused by the name of its field, and nothing changes',
    async (_what, wish, field) => {
      await application.brand({ displayName: 'Before', logo: LOGO })
      const before = (await application.show()).body
      const { status, body } = await application.brand(wish)
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { error: 'VALIDATION_FAILED', details: [{ field, message: expect.any(String) }] },
      })
      expect((await application.show()).body).toEqual(before)
    },
  )

  test('a name of 60 characters and a logo of exactly 64 KiB can be', async () => {
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
    'that is %s is served as that, whatever it was called, and as nothing that runs',
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

  test('that nobody has is not found, and that is not kept', async () => {
    for (const name of ['0'.repeat(64), 'x', '%00', `${'0'.repeat(63)}'`, hashOf(LOGO).toUpperCase()]) {
      const response = await fetch(`${service.url}/branding/${name}`)
      expect(response.status, name).toBe(404)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('that two have stays until both are without it', async () => {
    const other = await newBranded(service)
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
  test('is seen by its members, changed by its admins, and told in the log of the tenant', async () => {
    const { brand, show, company, owner } = await newBrandedTenant(service)
    expect((await show()).body).toEqual(NONE)
    const entry = await entryOfWork(service, () => brand({ displayName: 'Acme', logo: LOGO }))
    expect(entry).toMatchObject({
      ...{ action: 'tenant.branding_changed', tenant_id: company.id, actor_id: owner.id },
      details: {
        before: { displayName: null, logo: null },
        after: { displayName: 'Acme', logo: hashOf(LOGO) },
      },
    })
    expect((await show()).body).toMatchObject({ displayName: 'Acme', logoUrl: `/branding/${hashOf(LOGO)}` })
  })

  test('is closed to another tenant, and goes with its own', async () => {
    const [ours, theirs] = [await newBrandedTenant(service), await newBrandedTenant(service)]
    const logo = asDataUrl(pngOf(11, 13))
    const { body } = await theirs.brand({ displayName: 'Theirs', logo })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await ours.owner.call(
        method,
        theirs.path,
        method === 'PUT' ? { color: '#000000' } : undefined,
      )
      expect(answer.status).toBe(403)
      expect(JSON.stringify(answer.body)).not.toContain('Theirs')
    }
    expect((await theirs.show()).body).toEqual(body)
    expect((await theirs.owner.call('DELETE', `/api/tenants/${theirs.company.id}`)).status).toBe(200)
    expect((await fetch(service.url + String(body.logoUrl))).status).toBe(404)
  })
})

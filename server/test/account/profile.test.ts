import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { parseTimeZone } from '../../src/lib/profile-values.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { findIds, obtainTokens, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
let userId: string
let token: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  userId = (await findIds(service, 'mia@acme.test', 'acme')).userId
  token = (await obtainTokens(url, await signIn(url, 'mia@acme.test'))).access_token
})
afterAll(() => service?.close())

async function call(method: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/api/users/me`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const me = async () => (await call('GET')).body
const change = (body: unknown) => call('PATCH', body)
const entries = () =>
  service.ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('user_id', '=', userId)
    .where('action', '=', 'user.profile_changed')
    .orderBy('id')
    .execute()

describe('the profile', () => {
  test('shows every tenant of the person by name, in any membership status', async () => {
    const now = new Date()
    const times = { created_at: now, updated_at: now }
    for (const [name, status] of [
      ['Zebra', 'INVITED'],
      ['Aardvark', 'SUSPENDED'],
    ] as const) {
      const tenant = { id: newId(), slug: name.toLowerCase(), name, ...times }
      await service.ctx.db.insertInto('tenants').values(tenant).execute()
      await service.ctx.db
        .insertInto('memberships')
        .values({
          id: newId(),
          tenant_id: tenant.id,
          user_id: userId,
          role: 'admin',
          status,
          joined_at: status === 'INVITED' ? null : now,
          invited_until: new Date(now.getTime() + 86_400_000),
          ...times,
        })
        .execute()
    }
    const { memberships } = await me()
    expect(memberships).toEqual([
      expect.objectContaining({
        tenantName: 'Aardvark',
        tenantSlug: 'aardvark',
        role: 'admin',
        status: 'SUSPENDED',
      }),
      expect.objectContaining({ tenantName: 'Acme', tenantSlug: 'acme', role: 'member', status: 'ACTIVE' }),
      expect.objectContaining({ tenantName: 'Zebra', tenantSlug: 'zebra', role: 'admin', status: 'INVITED' }),
    ])
  })

  test('takes two statements for a cached token', async () => {
    const watch = await watchStatements(service)
    await me()
    const calls = await watch.count(me)
    await watch.close()
    expect(calls).toBe(2)
  })
})

describe('a change', () => {
  test('is audited with the names of the fields, and the values as personal data', async () => {
    await change({ displayName: 'Mia One', nickname: 'mimi' })
    const before = (await entries()).length
    await change({ displayName: 'Mia Two', nickname: 'mimi', website: 'https://mia.test/' })
    const [entry, ...others] = (await entries()).slice(before)
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      actor_kind: 'user',
      actor_id: userId,
      details: { fields: ['displayName', 'website'] },
    })
    expect(entry?.personal).toEqual({
      ipAddress: '127.0.0.1',
      userAgent: expect.any(String),
      before: { displayName: 'Mia One', website: null },
      after: { displayName: 'Mia Two', website: 'https://mia.test/' },
    })
  })

  test('to the current values changes and records nothing', async () => {
    const first = await change({ displayName: 'Mia Same', locale: 'de-DE' })
    const recorded = (await entries()).length
    service.advance(5_000)
    const second = await change({ displayName: '  Mia Same ', locale: 'DE-de' })
    expect(second).toEqual(first)
    expect(await entries()).toHaveLength(recorded)
    expect(await me()).toMatchObject({ updatedAt: first.body.updatedAt })
  })

  test('with an invalid field changes nothing, and every invalid field is named', async () => {
    const before = await me()
    const refused = await change({
      displayName: 'Applied?',
      givenName: 'a\u0007b',
      middleName: 'x'.repeat(101),
      website: 'javascript:alert(1)',
      zoneinfo: 'Mars/Olympus',
      locale: 'english',
    })
    expect(refused).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
    const { details } = refused.body as { details: { field: string }[] }
    expect(details.map(({ field }) => field)).toEqual(['givenName', 'middleName', 'website', 'zoneinfo', 'locale'])
    expect(await me()).toEqual(before)
  })

  test('of two concurrent changes to different fields loses neither', async () => {
    const answers = await Promise.all([change({ nickname: 'first' }), change({ middleName: 'Second' })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await me()).toMatchObject({ nickname: 'first', middleName: 'Second' })
  })
})

const accepts = (field: string, text: string, kept = text) => [field, text.slice(0, 40), text, kept] as const
test.each([
  accepts('displayName', `${'ä'.repeat(200)}`),
  accepts('displayName', '𝒜'.repeat(200)),
  accepts('displayName', '<b>Mia</b> & "Söhne" \u{1f469}\u200d\u{1f680}'),
  accepts('givenName', '\u00a0  Zoë \n', 'Zoë'),
  accepts('familyName', "O'Brien-Ñ, ジュニア"),
  accepts('nickname', '王'),
  accepts('pictureUrl', 'HTTPS://Example.com:8443/a.png?x=1&y=%20#top'),
  accepts('website', 'http://müller.example/weg/@mia'),
  accepts('website', 'http://[2001:db8::1]/'),
  accepts('website', `https://example.com/${'x'.repeat(2028)}`),
  accepts('zoneinfo', 'UTC'),
  accepts('zoneinfo', 'Europe/Berlin'),
  accepts('zoneinfo', 'Europe/Kyiv'),
  accepts('zoneinfo', 'Asia/Kolkata'),
  accepts('zoneinfo', 'Asia/Calcutta'),
  accepts('zoneinfo', 'US/Eastern'),
  accepts('zoneinfo', 'Etc/GMT+5'),
  accepts('zoneinfo', 'America/Argentina/Buenos_Aires'),
  accepts('zoneinfo', 'America/Port-au-Prince'),
  accepts('zoneinfo', 'CET'),
  accepts('locale', 'en'),
  accepts('locale', 'EN-us', 'en-US'),
  accepts('locale', 'zh-hant-tw', 'zh-Hant-TW'),
  accepts('locale', 'gsw'),
  accepts('locale', 'es-419'),
  accepts('locale', 'iw', 'he'),
])('%s accepts %j', async (field, _, text, kept) => {
  expect(await change({ [field]: text })).toMatchObject({ status: 200 })
  expect(await me()).toMatchObject({ [field]: kept })
})

test('zoneinfo accepts every zone that the platform knows', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((zone) => parseTimeZone(zone) !== zone)).toEqual([])
})

const refuses = (field: string, ...texts: string[]) => texts.map((text) => [field, text.slice(0, 40), text] as const)
test.each([
  ...refuses('displayName', '   ', '\u200b', 'a\nb', 'a\r\nBcc: x@y.test', 'a\u0085b', 'a\u2028b'),
  ...refuses('displayName', '\u202egnp.exe'),
  ...refuses('givenName', 'x'.repeat(101), 'a\tb', '\u001b[31m'),
  ...refuses('familyName', 'x'.repeat(101)),
  ...refuses('middleName', 'x'.repeat(101)),
  ...refuses('nickname', 'x'.repeat(101)),
  ...refuses('pictureUrl', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)'),
  ...refuses('pictureUrl', 'data:image/png;base64,AAAA', 'file:///etc/passwd', '//example.com/a'),
  ...refuses('pictureUrl', '/a.png', 'example.com', 'blob:https://example.com/x', 'vbscript:x'),
  ...refuses(
    'website',
    'http:example.com',
    'http:/example.com',
    'http:\\\\example.com',
    'http:///example.com',
    'http://',
  ),
  ...refuses('website', 'https://mia:secret@example.com/', 'https://mia@example.com/', 'https://@example.com/'),
  ...refuses('website', 'https://example.com/a b', 'https://exa\tmple.com/', 'https://example.com/"><script>'),
  ...refuses(
    'website',
    ' https://example.com/',
    'https://example.com:99999/',
    'https://[::1/',
    `https://${'x'.repeat(2_041)}`,
  ),
  ...refuses('zoneinfo', 'Europe/Atlantis', 'UTC+1', 'GMT+1', 'EUROPE/BERLIN'),
  ...refuses(
    'zoneinfo',
    'Europe/KYIV',
    'Asia/kolkata',
    'utc',
    'PST',
    'SystemV/EST5',
    'Europe/Berlin ',
    '../etc/passwd',
    'Factory',
  ),
  ...refuses('zoneinfo', `Europe/${'x'.repeat(10_240)}`),
  ...refuses('locale', 'e', 'en-', 'x-private', 'i-klingon', '*', '12', 'root', ' en', 'en\n'),
  ...refuses('locale', `en-x-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-${'d'.repeat(8)}`),
])('%s refuses %j', async (field, _, text) => {
  const before = await me()
  const { status, body } = await change({ nickname: 'must not be kept', [field]: text })
  expect(status).toBe(422)
  expect(body).toMatchObject({
    error: 'VALIDATION_FAILED',
    details: [{ field, message: expect.any(String) }],
  })
  expect(await me()).toEqual(before)
})

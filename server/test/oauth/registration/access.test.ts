import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepExpired } from '../../../src/oauth/sweep.ts'
import { countRefusals } from '../../support/rate-limits.ts'
import { rounds } from '../../support/rounds.ts'
import { startService, type TestService } from '../../support/service.ts'
import { admin, findIds, startDemoService } from '../../support/world.ts'
import { type Information, manage, newToken, post, REDIRECT_URI, register } from './calls.ts'

const METADATA = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
const DAY_MS = 86_400_000

/** With a token, without one, and off: one database, three nodes. */
let service: TestService
let open: TestService
let off: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ config: { clientRegistration: 'token' } })
  url = service.url
  ;[open, off] = await Promise.all([
    startService({ sameDatabaseAs: service, config: { clientRegistration: 'open' } }),
    startService({ sameDatabaseAs: service }),
  ])
})
afterAll(async () => {
  await Promise.all([open.close(), off.close()])
  await service.close()
})

const textOf = async (response: Response) => (await response.text()).replace(/"requestId":"[^"]+"/, '')
const metadataOf = async ({ url: origin }: TestService) =>
  (await (await fetch(`${origin}/.well-known/openid-configuration`)).json()) as Record<string, unknown>

describe('the switch', () => {
  test('off is the default: the paths answer like unknown ones, and nothing is announced', async () => {
    expect(off.ctx.config.clientRegistration).toBe('off')
    const { registration_client_uri } = await register(url, {}, (await newToken(url)).registrationToken)
    for (const [method, path] of [
      ['POST', '/api/oauth/register'],
      ['GET', new URL(registration_client_uri).pathname],
      ['PUT', new URL(registration_client_uri).pathname],
      ['DELETE', new URL(registration_client_uri).pathname],
      ['OPTIONS', '/api/oauth/register'],
    ] as const) {
      const [answer, unknown] = await Promise.all(
        [path, '/api/oauth/nothing'].map((address) => fetch(off.url + address, { method })),
      )
      expect(answer?.status, method).toBe(unknown?.status)
      expect(await textOf(answer as Response)).toBe(await textOf(unknown as Response))
    }
    const metadata = await metadataOf(off)
    expect(metadata).not.toHaveProperty('registration_endpoint')
    expect(metadata.token_endpoint_auth_methods_supported).not.toContain('private_key_jwt')
  })

  test('on: the metadata has the endpoint, and every method that a client may choose', async () => {
    expect(await metadataOf(service)).toMatchObject({
      registration_endpoint: `${url}/api/oauth/register`,
      token_endpoint_auth_methods_supported: expect.arrayContaining(['none', 'private_key_jwt']),
    })
  })

  test('token: a client without a valid registration token is refused, and nothing is stored', async () => {
    const { registrationToken } = await newToken(url)
    const { registration_access_token } = await register(url, {}, registrationToken)
    const missing = await post(url, METADATA)
    expect([missing.status, missing.body.error]).toEqual([401, 'invalid_token'])
    expect(missing.response.headers.get('www-authenticate')).toBe('Bearer')
    for (const token of ['x', 'lki_unknown', registration_access_token, registrationToken, `${registrationToken}=`]) {
      const { response, status, body } = await post(url, METADATA, token)
      expect([status, body.error]).toEqual([401, 'invalid_token'])
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  })

  test('open: anybody registers, but not with an invalid token', async () => {
    expect((await post(open.url, METADATA)).status).toBe(201)
    expect((await post(open.url, METADATA, 'lki_unknown')).status).toBe(401)
    const preflight = await fetch(`${open.url}/api/oauth/register`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('registration tokens', () => {
  test('of 20 simultaneous registrations with a token for one use, one succeeds', async () => {
    for (const _ of rounds(20)) {
      const { id, registrationToken } = await newToken(url)
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(url, METADATA, registrationToken)))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 401)])
      expect(await findToken(id)).toMatchObject({ uses: 1, maxUses: 1 })
    }
  })

  test('a token stops with its expiry, and when it is revoked; its clients stay', async () => {
    const expiring = await newToken(url, { expiresInDays: 1, maxUses: 2 })
    const revoked = await newToken(url, { maxUses: 2 })
    const client = await register(url, {}, revoked.registrationToken)
    await register(url, {}, expiring.registrationToken)
    service.advance(DAY_MS)
    expect((await post(url, METADATA, expiring.registrationToken)).status).toBe(401)
    service.advance(-DAY_MS)
    await admin(url, `/api/admin/registration-tokens/${revoked.id}`, undefined, 'DELETE')
    expect((await post(url, METADATA, revoked.registrationToken)).status).toBe(401)
    expect((await manage('GET', client)).status).toBe(200)
  })

  test('the hosts of a token bind its clients for good, also after it is revoked', async () => {
    const { id, registrationToken } = await newToken(url, {
      maxUses: 9,
      redirectHosts: ['app.example.com', 'localhost'],
    })
    for (const redirect_uris of [
      ['https://evil.test/'],
      [REDIRECT_URI, 'https://evil.test/'],
      ['com.example.app:/x'],
      ['com.example.app://app.example.com/callback'],
    ]) {
      const { status, body } = await post(url, { ...METADATA, redirect_uris }, registrationToken)
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
    }
    const logout = { ...METADATA, post_logout_redirect_uris: ['https://evil.test/'] }
    expect((await post(url, logout, registrationToken)).status).toBe(400)
    const client = await register(url, { redirect_uris: [REDIRECT_URI, 'http://localhost:1234/'] }, registrationToken)
    await admin(url, `/api/admin/registration-tokens/${id}`, undefined, 'DELETE')
    const body = { ...METADATA, client_id: client.client_id, redirect_uris: ['https://evil.test/'] }
    expect((await manage('PUT', client, { body })).body.error).toBe('invalid_redirect_uri')
  })

  test('neither token is stored or logged', async () => {
    const { registrationToken } = await newToken(url)
    const { registration_access_token, client_secret = 'none' } = await register(
      url,
      { token_endpoint_auth_method: 'client_secret_post' },
      registrationToken,
    )
    await post(url, METADATA, registrationToken)
    const { db } = service.ctx
    const stored = await Promise.all([
      db.selectFrom('registration_tokens').selectAll().execute(),
      db.selectFrom('client_registrations').selectAll().execute(),
      db.selectFrom('audit_entries').selectAll().execute(),
      db.selectFrom('audit_pending').selectAll().execute(),
    ])
    const everything = JSON.stringify([stored, service.logs])
    for (const secret of [registrationToken, registration_access_token, client_secret]) {
      expect(everything).not.toContain(secret)
    }
  })
})

async function findToken(id: string) {
  const { registrationTokens } = await admin<{ registrationTokens: { id: string }[] }>(
    url,
    '/api/admin/registration-tokens?limit=100',
    undefined,
    'GET',
  )
  return registrationTokens.find((token) => token.id === id)
}

async function applicationOf({ client_id }: Information): Promise<string> {
  const client = await service.ctx.db
    .selectFrom('clients')
    .select('application_id')
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow()
  return client.application_id
}

test('after seven days a client that nobody consented to is deleted; others stay', async () => {
  const { registrationToken } = await newToken(url, { maxUses: 2 })
  const [unused, used] = [await register(url, {}, registrationToken), await register(url, {}, registrationToken)]
  const { userId } = await findIds(service, 'mia@acme.test', 'acme')
  await service.ctx.db
    .insertInto('consents')
    .values({
      user_id: userId,
      application_id: await applicationOf(used),
      tenant_id: null,
      scopes: ['openid'],
      granted_at: new Date(),
    })
    .execute()
  const sweep = () => sweepExpired.run(service.ctx, {} as never)
  service.advance(7 * DAY_MS - 60_000)
  await sweep()
  expect((await manage('GET', unused)).status).toBe(200)
  service.advance(120_000)
  await sweep()
  expect((await manage('GET', unused)).status).toBe(401)
  expect((await manage('GET', used)).status).toBe(200)
})

test('one network registers 30 clients in an hour without a token, and more with one', async () => {
  const { registrationToken } = await newToken(url)
  const before = await countRefusals(open, 'client-registrations')
  let limited: Awaited<ReturnType<typeof post>> | undefined
  for (let count = 0; count < 31 && !limited; count++) {
    const answer = await post(open.url, METADATA)
    if (answer.status !== 201) limited = answer
  }
  expect(limited).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } })
  expect(Number(limited?.response.headers.get('retry-after'))).toBeGreaterThan(3_000)
  expect(await countRefusals(open, 'client-registrations')).toBe(before + 1)
  expect((await post(open.url, METADATA, registrationToken)).status).toBe(201)
})

test('when the instance is full, clients that nobody has used within an hour make room', async () => {
  const { db } = open.ctx
  // The clients and the limits of earlier tests.
  await db.deleteFrom('clients').where('origin', '=', 'REGISTRATION').execute()
  await db.deleteFrom('throttle' as never).execute()
  const oldest = await register(open.url)
  const { id } = await db.selectFrom('applications').select('id').limit(1).executeTakeFirstOrThrow()
  const createdAt = open.ctx.now()
  await sql`
    insert into clients (id, client_id, origin, application_id, kind, name, redirect_uris, post_logout_redirect_uris,
      allowed_origins, scopes, require_nonce, userinfo_in_id_token, pkce_methods, disabled, created_at, updated_at)
    select gen_random_uuid(), 'lk_full_' || number, 'REGISTRATION', ${id}, 'SPA', 'Full', array[${REDIRECT_URI}], '{}',
      '{}', '{}', false, false, '{S256}', false, ${createdAt}, ${createdAt}
    from generate_series(2, 10000) as number`.execute(db)
  expect(await post(open.url, METADATA)).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  open.advance(3_660_000)
  expect((await post(open.url, METADATA)).status).toBe(201)
  expect((await manage('GET', oldest)).status).toBe(401)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { getClientPage, registerClient } from '../../src/applications/clients/registration.ts'
import { addSecret, revokeSecret } from '../../src/applications/clients/secrets.ts'
import { findSecret } from '../../src/applications/clients.ts'
import {
  changeApplication,
  createApplication,
  getApplicationPage,
  removeApplication,
} from '../../src/applications/service.ts'
import { OPERATOR_SOURCE, SYSTEM } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import { createTenant } from '../../src/tenants/service.ts'
import { startService } from '../support/service.ts'
import { getClient, inTx, newApplication, refusal, register, update, webClient } from './calls.ts'

let ctx: Ctx
let close: () => Promise<void>
beforeAll(async () => {
  ;({ ctx, close } = await startService())
})
afterAll(() => close())

const updateApplication = (id: string, change: Parameters<typeof changeApplication>[2]['change']) =>
  inTx(ctx, (tx) => changeApplication(ctx, tx, { id, change, source: OPERATOR_SOURCE }))

test('a new client gets defaults for its kind, a generated id, and a secret that is stored as a hash', async () => {
  const application = await newApplication(ctx, 'Shop')
  const { client, clientSecret } = await register(ctx, { applicationId: application.id })
  expect(client.clientId).toMatch(/^lk_[a-z2-7]{24}$/)
  expect(clientSecret).toMatch(/^lks_[A-Za-z0-9_-]{43}$/)
  expect(await getClient(ctx, client.clientId)).toEqual({
    id: client.id,
    clientId: client.clientId,
    applicationId: application.id,
    applicationName: 'Shop',
    trusted: true,
    builtIn: false,
    kind: 'WEB',
    name: 'Web',
    origin: 'ADMIN',
    redirectUris: ['https://app.example.com/cb'],
    postLogoutRedirectUris: [],
    allowedOrigins: [],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    tenantId: undefined,
    tenantSlug: undefined,
    requireNonce: true,
    userinfoInIdToken: true,
    pkceMethods: ['S256', 'plain'],
    responseModes: ['query'],
    requirePushedRequests: false,
    requireSignedRequests: false,
    requireDpop: false,
    signingAlgorithms: ['RS256'],
    deviceFlow: false,
    tokenExchange: false,
    tokenEndpointAuthMethod: 'client_secret',
    jwks: null,
    jwksUri: null,
    securityProfile: 'NONE',
    backchannelLogoutUri: null,
    disabled: false,
    secrets: [{ id: expect.any(String), hash: expect.any(Buffer) }],
    lifetimes: {
      accessToken: undefined,
      idToken: undefined,
      refreshTokenIdle: undefined,
      refreshToken: undefined,
    },
    exchangeEndedAt: null,
    createdAt: expect.any(Date),
  })
  const rows = await ctx.db.selectFrom('client_secrets').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(clientSecret)
})

test('an SPA has no secret, and a machine has no scopes by default', async () => {
  const spa = await register(ctx, { kind: 'SPA' })
  expect(spa).toMatchObject({ clientSecret: null, client: { secrets: [] } })
  const machine = await register(ctx, { kind: 'MACHINE', redirectUris: [] })
  expect(machine).toMatchObject({ clientSecret: expect.any(String), client: { scopes: [] } })
})

test('only a machine can be bound to a tenant', async () => {
  const tenant = await inTx(ctx, (tx) => createTenant(ctx, tx, { slug: 'bound', name: 'Bound' }, { actor: SYSTEM }))
  const { client } = await register(ctx, { kind: 'MACHINE', redirectUris: [], tenantId: tenant.id })
  expect(await getClient(ctx, client.clientId)).toMatchObject({ tenantId: tenant.id, tenantSlug: 'bound' })
  expect(await refusal(register(ctx, { tenantId: tenant.id }))).toEqual({
    code: 'VALIDATION_FAILED',
    fields: ['tenantId'],
  })
})

test('only current secrets of the client are accepted', async () => {
  const { client, clientSecret } = await register(ctx)
  const second = await addSecret(ctx, client.id, OPERATOR_SOURCE)
  const known = await getClient(ctx, client.clientId)
  expect(findSecret(known, clientSecret ?? '')).toEqual({ id: known.secrets[0]?.id })
  expect(findSecret(known, second.clientSecret)).toEqual({ id: second.id })
  for (const wrong of ['', 'x', `${clientSecret} `, 'é'.repeat(5_000)]) expect(findSecret(known, wrong)).toBeUndefined()
  await revokeSecret(ctx, { id: client.id, secretId: second.id, source: OPERATOR_SOURCE })
  expect(findSecret(await getClient(ctx, client.clientId), second.clientSecret)).toBeUndefined()
})

test('a client never has more than two secrets, also when several are added concurrently', async () => {
  const { client } = await register(ctx)
  const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => addSecret(ctx, client.id, OPERATOR_SOURCE)))
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const attempt of attempts) {
    if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'TOO_MANY_SECRETS' })
  }
  expect((await getClient(ctx, client.clientId)).secrets).toHaveLength(2)
})

test('an SPA cannot get a secret, and a secret of another client cannot be revoked', async () => {
  const spa = await register(ctx, { kind: 'SPA' })
  expect((await refusal(addSecret(ctx, spa.client.id, OPERATOR_SOURCE))).code).toBe('VALIDATION_FAILED')
  const [a, b] = [await register(ctx), await register(ctx)]
  const revoke = (id: string, secretId: string) => revokeSecret(ctx, { id, secretId, source: OPERATOR_SOURCE })
  const foreign = b.client.secrets[0]?.id ?? ''
  expect((await refusal(revoke(a.client.id, foreign))).code).toBe('SECRET_NOT_FOUND')
  expect((await refusal(revoke(a.client.id, 'nope'))).code).toBe('SECRET_NOT_FOUND')
  expect((await refusal(revoke('nope', foreign))).code).toBe('CLIENT_NOT_FOUND')
})

test('a secret chosen by the operator must be printable, and longer in production', async () => {
  const short = { chosen: 'short-but-printable' }
  expect((await register(ctx, {}, short)).clientSecret).toBe(short.chosen)
  for (const chosen of ['seven77', 'with\nbreak-in-it', 'nicht-ascii-é', 'x'.repeat(257)]) {
    expect(await refusal(register(ctx, {}, { chosen }))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: ['secret'],
    })
  }
  expect((await refusal(register(ctx, { kind: 'SPA' }, short))).fields).toEqual(['secret'])
  const production = { ...ctx, config: { ...ctx.config, mode: 'serve' as const } }
  const application = await newApplication(ctx)
  const inProduction = (chosen: string) =>
    inTx(ctx, (tx) => {
      const draft = { ...webClient(), applicationId: application.id }
      return registerClient(production, tx, draft, { secret: { chosen }, source: OPERATOR_SOURCE })
    })
  expect((await refusal(inProduction('x'.repeat(31)))).fields).toEqual(['secret'])
  expect((await inProduction('x'.repeat(32))).clientSecret).toHaveLength(32)
})

test('a change must follow the rules of the kind and changes only the given settings', async () => {
  const { client } = await register(ctx)
  const attempt = (change: object) => refusal(update(ctx, client.id, change))
  expect(await attempt({})).toEqual({ code: 'VALIDATION_FAILED', fields: ['body'] })
  expect((await attempt({ redirectUris: [] })).fields).toEqual(['redirectUris'])
  expect((await attempt({ redirectUris: ['com.example.app:/cb'] })).fields).toEqual(['redirectUris.0'])
  expect((await attempt({ kind: 'MACHINE', clientId: 'other' })).fields).toEqual(['body'])
  await update(ctx, client.id, { name: '  Renamed  ' })
  expect(await getClient(ctx, client.clientId)).toMatchObject({
    name: 'Renamed',
    kind: 'WEB',
    clientId: client.clientId,
  })
  const machine = await register(ctx, { kind: 'MACHINE', redirectUris: [] })
  expect((await refusal(update(ctx, machine.client.id, { redirectUris: ['https://a.example/'] }))).fields).toEqual([
    'redirectUris',
  ])
})

test('only one of several concurrent registrations gets a client id', async () => {
  const { id: applicationId } = await newApplication(ctx)
  const attempts = await Promise.allSettled(
    Array.from({ length: 5 }, () => register(ctx, { applicationId, clientId: 'wanted' })),
  )
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const attempt of attempts) {
    if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'CLIENT_ID_TAKEN' })
  }
})

test('an unknown application or tenant is refused with the name of the field', async () => {
  const unknownId = '0197a2b0-7d5c-7000-8000-00000000abcd'
  for (const id of [unknownId, 'nope']) {
    expect(await refusal(register(ctx, { applicationId: id }))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: ['applicationId'],
    })
    expect((await refusal(register(ctx, { kind: 'MACHINE', redirectUris: [], tenantId: id }))).fields).toEqual([
      'tenantId',
    ])
  }
})

test('a registration concurrent with the deletion of its application succeeds or is refused cleanly', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await newApplication(ctx)
    const attempts = Array.from({ length: 3 }, () => register(ctx, { applicationId: id }))
    const outcomes = await Promise.allSettled([...attempts, removeApplication(ctx, id, OPERATOR_SOURCE)])
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'VALIDATION_FAILED' })
    }
  }
})

test('a generated slug is derived from the name and made unique; a given slug must be free', async () => {
  const create = (draft: Parameters<typeof createApplication>[2]) =>
    inTx(ctx, (tx) => createApplication(ctx, tx, draft, OPERATOR_SOURCE))
  expect((await create({ name: '  Über & Café 24/7 ' })).slug).toBe('uber-cafe-24-7')
  expect(await create({ name: 'Twice' })).toMatchObject({ slug: 'twice', name: 'Twice' })
  expect((await create({ name: 'Twice' })).slug).toMatch(/^twice-[0-9a-f]{6}$/)
  expect((await create({ name: '日本' })).slug).toBe('application')
  expect((await create({ name: 'x'.repeat(120) })).slug).toBe('x'.repeat(63))
  expect((await create({ name: 'x'.repeat(120) })).slug).toMatch(/^x{56}-[0-9a-f]{6}$/)
  expect((await refusal(create({ name: 'Twice', slug: 'twice' }))).code).toBe('SLUG_TAKEN')
  for (const slug of ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a'.repeat(64)]) {
    expect(await refusal(create({ name: 'X', slug }))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: ['slug'],
    })
  }
  const other = await create({ name: 'Other' })
  expect((await refusal(updateApplication(other.id, { slug: 'twice' }))).code).toBe('SLUG_TAKEN')
  expect((await refusal(updateApplication('nope', { slug: 'free' }))).code).toBe('APPLICATION_NOT_FOUND')
})

test('lists have pages of at most a hundred entries, in the order of creation', async () => {
  const { id: applicationId } = await newApplication(ctx, 'Listed')
  for (let i = 0; i < 5; i++) await register(ctx, { applicationId, name: `Client ${i}` })
  const page = (page: number, limit: number) => getClientPage(ctx, { applicationId, page, limit })
  const second = await page(2, 2)
  expect(second.clients.map(({ name }) => name)).toEqual(['Client 2', 'Client 3'])
  expect(second.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3 })
  expect(await page(9, 2)).toEqual({ clients: [], pagination: { page: 9, limit: 2, total: 5, pages: 3 } })
  expect((await page(1, Number.MAX_SAFE_INTEGER)).pagination).toMatchObject({ limit: 100, pages: 1 })
  expect((await getClientPage(ctx, { applicationId: 'nope', page: 1, limit: 20 })).pagination.total).toBe(0)
  const { pagination, applications } = await getApplicationPage(ctx, { page: 1, limit: 3 })
  expect(applications).toHaveLength(3)
  expect(pagination.total).toBeGreaterThan(3)
})

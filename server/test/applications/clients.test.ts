import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  changeClient,
  type NewClient,
  pageOfClients,
  registerClient,
  removeClient,
  type SecretOrigin,
} from '../../src/applications/clients/registration.ts'
import { addSecret, endSecret } from '../../src/applications/clients/secrets.ts'
import { findClient, findSecret, knowsOrigin, knowsPostLogoutUri } from '../../src/applications/clients.ts'
import {
  changeApplication,
  createApplication,
  pageOfApplications,
  removeApplication,
} from '../../src/applications/service.ts'
import { OPERATOR, SYSTEM } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import { createTenant } from '../../src/tenants/service.ts'
import { startService } from '../support/service.ts'
import { inTx, newApplication, refusal } from './calls.ts'

let ctx: Ctx
let close: () => Promise<void>
beforeAll(async () => {
  ;({ ctx, close } = await startService())
})
afterAll(() => close())

const WEB = { kind: 'WEB', name: 'Web', redirectUris: ['https://app.example.com/cb'] } as const
const register = async (draft: Partial<NewClient> = {}, origin: SecretOrigin = 'generated') => {
  const applicationId = draft.applicationId ?? (await newApplication(ctx)).id
  const whole = { ...WEB, redirectUris: [...WEB.redirectUris], applicationId, ...draft }
  return inTx(ctx, (tx) => registerClient(ctx, tx, whole, { origin, source: OPERATOR }))
}
const found = async (clientId: string) => {
  const client = await findClient(ctx, clientId)
  if (!client) throw new Error(`there is no client ${clientId}`)
  return client
}
const change = async (id: string, wanted: Parameters<typeof changeClient>[2]['change']) => {
  await inTx(ctx, (tx) => changeClient(ctx, tx, { id, change: wanted, source: OPERATOR }))
  await ctx.changes.settle()
}
const alter = (id: string, wanted: Parameters<typeof changeApplication>[2]['change']) =>
  inTx(ctx, (tx) => changeApplication(ctx, tx, { id, change: wanted, source: OPERATOR }))
/** How many statements the work sends, once all news of earlier changes has arrived. */
async function countQueries(work: () => Promise<unknown>): Promise<number> {
  await ctx.changes.settle()
  const executor = ctx.db.getExecutor()
  const original = executor.executeQuery
  let count = 0
  executor.executeQuery = function (this: typeof executor, ...args: Parameters<typeof original>) {
    count++
    return original.apply(this, args)
  } as typeof original
  await work()
  executor.executeQuery = original
  return count
}

test('a client gets what its kind needs: defaults, a made-up id, and a secret that only its hash is kept of', async () => {
  const application = await newApplication(ctx, 'Shop')
  const { client, clientSecret } = await register({ applicationId: application.id })
  expect(client.clientId).toMatch(/^lk_[a-z2-7]{24}$/)
  expect(clientSecret).toMatch(/^lks_[A-Za-z0-9_-]{43}$/)
  expect(await found(client.clientId)).toEqual({
    id: client.id,
    clientId: client.clientId,
    applicationId: application.id,
    applicationName: 'Shop',
    trusted: true,
    kind: 'WEB',
    name: 'Web',
    redirectUris: ['https://app.example.com/cb'],
    postLogoutRedirectUris: [],
    allowedOrigins: [],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    tenantId: undefined,
    tenantSlug: undefined,
    requireNonce: true,
    pkceMethods: ['S256', 'plain'],
    disabled: false,
    secrets: [{ id: expect.any(String), hash: expect.any(Buffer) }],
    lifetimes: {
      accessToken: undefined,
      idToken: undefined,
      refreshTokenIdle: undefined,
      refreshToken: undefined,
    },
  })
  const rows = await ctx.db.selectFrom('client_secrets').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(clientSecret)
})

test('an SPA has no secret, and a machine no scope unless it is given one', async () => {
  const spa = await register({ kind: 'SPA' })
  expect(spa).toMatchObject({ clientSecret: null, client: { secrets: [] } })
  const machine = await register({ kind: 'MACHINE', redirectUris: [] })
  expect(machine).toMatchObject({ clientSecret: expect.any(String), client: { scopes: [] } })
})

test('a machine may be bound to a tenant, and nobody else may', async () => {
  const tenant = await inTx(ctx, (tx) =>
    createTenant(ctx, tx, { slug: 'bound', name: 'Bound' }, { actor: SYSTEM }),
  )
  const { client } = await register({ kind: 'MACHINE', redirectUris: [], tenantId: tenant.id })
  expect(await found(client.clientId)).toMatchObject({ tenantId: tenant.id, tenantSlug: 'bound' })
  expect(await refusal(register({ tenantId: tenant.id }))).toEqual({
    code: 'VALIDATION_FAILED',
    fields: ['tenantId'],
  })
})

test('only a live secret of the client is recognised', async () => {
  const { client, clientSecret } = await register()
  const second = await addSecret(ctx, client.id, OPERATOR)
  const known = await found(client.clientId)
  expect(findSecret(known, clientSecret ?? '')).toEqual({ id: known.secrets[0]?.id })
  expect(findSecret(known, second.clientSecret)).toEqual({ id: second.id })
  for (const wrong of ['', 'x', `${clientSecret} `, 'é'.repeat(5_000)])
    expect(findSecret(known, wrong)).toBeUndefined()
  await endSecret(ctx, { id: client.id, secretId: second.id, source: OPERATOR })
  expect(findSecret(await found(client.clientId), second.clientSecret)).toBeUndefined()
})

test('of several secrets added at once, at most two are ever live', async () => {
  const { client } = await register()
  const attempts = await Promise.allSettled(
    Array.from({ length: 6 }, () => addSecret(ctx, client.id, OPERATOR)),
  )
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const attempt of attempts) {
    if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'TOO_MANY_SECRETS' })
  }
  expect((await found(client.clientId)).secrets).toHaveLength(2)
})

test('an SPA cannot be given a secret, and a secret of another client cannot be ended', async () => {
  const spa = await register({ kind: 'SPA' })
  expect((await refusal(addSecret(ctx, spa.client.id, OPERATOR))).code).toBe('VALIDATION_FAILED')
  const [a, b] = [await register(), await register()]
  const end = (id: string, secretId: string) => endSecret(ctx, { id, secretId, source: OPERATOR })
  const foreign = b.client.secrets[0]?.id ?? ''
  expect((await refusal(end(a.client.id, foreign))).code).toBe('SECRET_NOT_FOUND')
  expect((await refusal(end(a.client.id, 'nope'))).code).toBe('SECRET_NOT_FOUND')
  expect((await refusal(end('nope', foreign))).code).toBe('CLIENT_NOT_FOUND')
})

test("a secret of an operator's own must be printable, and long where it counts", async () => {
  const short = { chosen: 'short-but-printable' }
  expect((await register({}, short)).clientSecret).toBe(short.chosen)
  for (const chosen of ['seven77', 'with\nbreak-in-it', 'nicht-ascii-é', 'x'.repeat(257)]) {
    expect(await refusal(register({}, { chosen }))).toEqual({ code: 'VALIDATION_FAILED', fields: ['secret'] })
  }
  expect((await refusal(register({ kind: 'SPA' }, short))).fields).toEqual(['secret'])
  const production = { ...ctx, config: { ...ctx.config, mode: 'serve' as const } }
  const application = await newApplication(ctx)
  const inProduction = (chosen: string) =>
    inTx(ctx, (tx) => {
      const draft = { ...WEB, redirectUris: [...WEB.redirectUris], applicationId: application.id }
      return registerClient(production, tx, draft, { origin: { chosen }, source: OPERATOR })
    })
  expect((await refusal(inProduction('x'.repeat(31)))).fields).toEqual(['secret'])
  expect((await inProduction('x'.repeat(32))).clientSecret).toHaveLength(32)
})

test('a known client costs no query, and an odd client id never does', async () => {
  const { client } = await register()
  expect(await countQueries(async () => findClient(ctx, client.clientId))).toBe(1)
  expect(await countQueries(async () => findClient(ctx, client.clientId))).toBe(0)
  for (const odd of ['', 'a'.repeat(101), "x' or 1=1", 'ünï', '0197a2b0-7d5c-7000-8000-00000000abcd']) {
    expect(await countQueries(async () => findClient(ctx, odd))).toBe(0)
    expect(await findClient(ctx, odd)).toBeUndefined()
  }
})

test('what is changed about a client, its application or its tenant is seen at the next look', async () => {
  const tenant = await inTx(ctx, (tx) =>
    createTenant(ctx, tx, { slug: 'moving', name: 'Moving' }, { actor: SYSTEM }),
  )
  const application = await newApplication(ctx, 'Before')
  const { client } = await register({
    applicationId: application.id,
    kind: 'MACHINE',
    redirectUris: [],
    tenantId: tenant.id,
  })
  await found(client.clientId)
  await change(client.id, { disabled: true, scopes: ['a'] })
  expect(await found(client.clientId)).toMatchObject({ disabled: true, scopes: ['a'] })
  await alter(application.id, { name: 'After', trusted: false, accessTokenTtl: 300 })
  await ctx.changes.settle()
  expect(await found(client.clientId)).toMatchObject({
    applicationName: 'After',
    trusted: false,
    lifetimes: { accessToken: 300 },
  })
  await ctx.db.updateTable('tenants').set({ slug: 'moved' }).where('id', '=', tenant.id).execute()
  await ctx.changes.settle()
  expect(await found(client.clientId)).toMatchObject({ tenantSlug: 'moved' })
  await ctx.db.deleteFrom('tenants').where('id', '=', tenant.id).execute()
  await ctx.changes.settle()
  expect(await findClient(ctx, client.clientId)).toBeUndefined()
})

test('a removed client, or one of a removed application, is gone at once', async () => {
  const application = await newApplication(ctx)
  const [a, b] = [
    await register({ applicationId: application.id }),
    await register({ applicationId: application.id }),
  ]
  await found(a.client.clientId)
  await found(b.client.clientId)
  await removeClient(ctx, a.client.id, OPERATOR)
  expect(await findClient(ctx, a.client.clientId)).toBeUndefined()
  await removeApplication(ctx, application.id, OPERATOR)
  expect(await findClient(ctx, b.client.clientId)).toBeUndefined()
  expect((await refusal(removeApplication(ctx, application.id, OPERATOR))).code).toBe('APPLICATION_NOT_FOUND')
  expect((await refusal(removeClient(ctx, 'nope', OPERATOR))).code).toBe('CLIENT_NOT_FOUND')
})

test('an origin is known while an enabled client lists exactly it', async () => {
  const origin = 'https://spa.example.com'
  const { client } = await register({ kind: 'SPA', allowedOrigins: [origin] })
  await ctx.changes.settle()
  expect(await knowsOrigin(ctx, origin)).toBe(true)
  expect(await countQueries(async () => knowsOrigin(ctx, origin))).toBe(0)
  for (const other of [`${origin}:8443`, `${origin}/`, 'https://SPA.example.com', 'http://spa.example.com']) {
    expect(await knowsOrigin(ctx, other)).toBe(false)
  }
  for (const odd of ['null', '*', '', 'x'.repeat(3_000), 'https://a\0b']) {
    expect(await countQueries(async () => expect(await knowsOrigin(ctx, odd)).toBe(false))).toBe(0)
  }
  await change(client.id, { disabled: true })
  expect(await knowsOrigin(ctx, origin)).toBe(false)
})

test('an address for after a logout is known while an enabled client lists exactly it', async () => {
  const uri = 'https://spa.example.com/bye?x=1'
  const { client } = await register({ postLogoutRedirectUris: [uri] })
  expect(await knowsPostLogoutUri(ctx, uri)).toBe(true)
  for (const other of [
    `${uri}&y=2`,
    'https://spa.example.com/bye',
    'javascript:alert(1)',
    'https://a\0b',
    '',
  ]) {
    expect(await knowsPostLogoutUri(ctx, other)).toBe(false)
  }
  await change(client.id, { disabled: true })
  expect(await knowsPostLogoutUri(ctx, uri)).toBe(false)
})

test('a change is judged by the rules of the kind, and changes nothing else', async () => {
  const { client } = await register()
  const attempt = (wanted: object) => refusal(change(client.id, wanted))
  expect(await attempt({})).toEqual({ code: 'VALIDATION_FAILED', fields: ['body'] })
  expect((await attempt({ redirectUris: [] })).fields).toEqual(['redirectUris'])
  expect((await attempt({ redirectUris: ['com.example.app:/cb'] })).fields).toEqual(['redirectUris.0'])
  expect((await attempt({ kind: 'MACHINE', clientId: 'other' })).fields).toEqual(['body'])
  await change(client.id, { name: '  Renamed  ' })
  expect(await found(client.clientId)).toMatchObject({
    name: 'Renamed',
    kind: 'WEB',
    clientId: client.clientId,
  })
  const machine = await register({ kind: 'MACHINE', redirectUris: [] })
  expect((await refusal(change(machine.client.id, { redirectUris: ['https://a.example/'] }))).fields).toEqual(
    ['redirectUris'],
  )
})

test('a client id goes to exactly one of two who choose it at once', async () => {
  const { id: applicationId } = await newApplication(ctx)
  const attempts = await Promise.allSettled(
    Array.from({ length: 5 }, () => register({ applicationId, clientId: 'wanted' })),
  )
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const attempt of attempts) {
    if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'CLIENT_ID_TAKEN' })
  }
})

test('an application or tenant that is not there is named as the field at fault', async () => {
  const nobody = '0197a2b0-7d5c-7000-8000-00000000abcd'
  for (const id of [nobody, 'nope']) {
    expect(await refusal(register({ applicationId: id }))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: ['applicationId'],
    })
    expect((await refusal(register({ kind: 'MACHINE', redirectUris: [], tenantId: id }))).fields).toEqual([
      'tenantId',
    ])
  }
})

test('an application that is deleted while a client is registered leaves no error behind', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await newApplication(ctx)
    const attempts = Array.from({ length: 3 }, () => register({ applicationId: id }))
    const outcomes = await Promise.allSettled([...attempts, removeApplication(ctx, id, OPERATOR)])
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'VALIDATION_FAILED' })
    }
  }
})

test('a made-up slug reminds of the name and gives way; a chosen one must be free', async () => {
  const make = (draft: Parameters<typeof createApplication>[2]) =>
    inTx(ctx, (tx) => createApplication(ctx, tx, draft, OPERATOR))
  expect((await make({ name: '  Über & Café 24/7 ' })).slug).toBe('uber-cafe-24-7')
  expect(await make({ name: 'Twice' })).toMatchObject({ slug: 'twice', name: 'Twice' })
  expect((await make({ name: 'Twice' })).slug).toMatch(/^twice-[0-9a-f]{6}$/)
  expect((await make({ name: '日本' })).slug).toBe('application')
  expect((await make({ name: 'x'.repeat(120) })).slug).toBe('x'.repeat(63))
  expect((await make({ name: 'x'.repeat(120) })).slug).toMatch(/^x{56}-[0-9a-f]{6}$/)
  expect((await refusal(make({ name: 'Twice', slug: 'twice' }))).code).toBe('SLUG_TAKEN')
  for (const slug of ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a'.repeat(64)]) {
    expect(await refusal(make({ name: 'X', slug }))).toEqual({ code: 'VALIDATION_FAILED', fields: ['slug'] })
  }
  const other = await make({ name: 'Other' })
  expect((await refusal(alter(other.id, { slug: 'twice' }))).code).toBe('SLUG_TAKEN')
  expect((await refusal(alter('nope', { slug: 'free' }))).code).toBe('APPLICATION_NOT_FOUND')
})

test('lists come in pages of at most a hundred, in the order of making', async () => {
  const { id: applicationId } = await newApplication(ctx, 'Listed')
  for (let i = 0; i < 5; i++) await register({ applicationId, name: `Client ${i}` })
  const page = (page: number, limit: number) => pageOfClients(ctx, { applicationId, page, limit })
  const second = await page(2, 2)
  expect(second.clients.map(({ name }) => name)).toEqual(['Client 2', 'Client 3'])
  expect(second.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3 })
  expect(await page(9, 2)).toEqual({ clients: [], pagination: { page: 9, limit: 2, total: 5, pages: 3 } })
  expect((await page(1, Number.MAX_SAFE_INTEGER)).pagination).toMatchObject({ limit: 100, pages: 1 })
  expect((await pageOfClients(ctx, { applicationId: 'nope', page: 1, limit: 20 })).pagination.total).toBe(0)
  const { pagination, applications } = await pageOfApplications(ctx, { page: 1, limit: 3 })
  expect(applications).toHaveLength(3)
  expect(pagination.total).toBeGreaterThan(3)
})

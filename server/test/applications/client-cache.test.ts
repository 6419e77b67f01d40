import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeClient } from '../../src/applications/clients/registration.ts'
import { findClient, isKnownOrigin, isKnownPostLogoutUri } from '../../src/applications/clients.ts'
import { changeApplication, removeApplication } from '../../src/applications/service.ts'
import { OPERATOR_SOURCE, SYSTEM } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import { createTenant } from '../../src/tenants/service.ts'
import { startService } from '../support/service.ts'
import { getClient, inTx, newApplication, refusal, register, update } from './calls.ts'

let ctx: Ctx
let close: () => Promise<void>
beforeAll(async () => {
  ;({ ctx, close } = await startService())
})
afterAll(() => close())

/** The number of statements that the work sends, after the cache has seen all earlier changes. */
async function countQueries(work: () => Promise<unknown>): Promise<number> {
  await ctx.changes.waitUntilCurrent()
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

test('a cached client and an invalid client id need no query', async () => {
  const { client } = await register(ctx)
  expect(await countQueries(async () => findClient(ctx, client.clientId))).toBe(1)
  expect(await countQueries(async () => findClient(ctx, client.clientId))).toBe(0)
  for (const odd of ['', 'a'.repeat(101), "x' or 1=1", 'ünï', '0197a2b0-7d5c-7000-8000-00000000abcd']) {
    expect(await countQueries(async () => findClient(ctx, odd))).toBe(0)
    expect(await findClient(ctx, odd)).toBeUndefined()
  }
})

test('a change of a client, its application or its tenant is visible to the next lookup', async () => {
  const tenant = await inTx(ctx, (tx) => createTenant(ctx, tx, { slug: 'moving', name: 'Moving' }, { actor: SYSTEM }))
  const application = await newApplication(ctx, 'Before')
  const { client } = await register(ctx, {
    applicationId: application.id,
    kind: 'MACHINE',
    redirectUris: [],
    tenantId: tenant.id,
  })
  await getClient(ctx, client.clientId)
  await update(ctx, client.id, { disabled: true, scopes: ['a'] })
  expect(await getClient(ctx, client.clientId)).toMatchObject({ disabled: true, scopes: ['a'] })
  const change = { name: 'After', trusted: false, accessTokenTtl: 300 }
  await inTx(ctx, (tx) => changeApplication(ctx, tx, { id: application.id, change, source: OPERATOR_SOURCE }))
  await ctx.changes.waitUntilCurrent()
  expect(await getClient(ctx, client.clientId)).toMatchObject({
    applicationName: 'After',
    trusted: false,
    lifetimes: { accessToken: 300 },
  })
  await ctx.db.updateTable('tenants').set({ slug: 'moved' }).where('id', '=', tenant.id).execute()
  await ctx.changes.waitUntilCurrent()
  expect(await getClient(ctx, client.clientId)).toMatchObject({ tenantSlug: 'moved' })
  await ctx.db.deleteFrom('tenants').where('id', '=', tenant.id).execute()
  await ctx.changes.waitUntilCurrent()
  expect(await findClient(ctx, client.clientId)).toBeUndefined()
})

test('a deleted client, or one of a deleted application, is not found by the next lookup', async () => {
  const application = await newApplication(ctx)
  const [a, b] = [
    await register(ctx, { applicationId: application.id }),
    await register(ctx, { applicationId: application.id }),
  ]
  await getClient(ctx, a.client.clientId)
  await getClient(ctx, b.client.clientId)
  await removeClient(ctx, a.client.id, OPERATOR_SOURCE)
  expect(await findClient(ctx, a.client.clientId)).toBeUndefined()
  await removeApplication(ctx, application.id, OPERATOR_SOURCE)
  expect(await findClient(ctx, b.client.clientId)).toBeUndefined()
  expect((await refusal(removeApplication(ctx, application.id, OPERATOR_SOURCE))).code).toBe('APPLICATION_NOT_FOUND')
  expect((await refusal(removeClient(ctx, 'nope', OPERATOR_SOURCE))).code).toBe('CLIENT_NOT_FOUND')
})

test('an origin is known only while an enabled client lists exactly that text', async () => {
  const origin = 'https://spa.example.com'
  const { client } = await register(ctx, { kind: 'SPA', allowedOrigins: [origin] })
  await ctx.changes.waitUntilCurrent()
  expect(await isKnownOrigin(ctx, origin)).toBe(true)
  expect(await countQueries(async () => isKnownOrigin(ctx, origin))).toBe(0)
  for (const other of [`${origin}:8443`, `${origin}/`, 'https://SPA.example.com', 'http://spa.example.com']) {
    expect(await isKnownOrigin(ctx, other)).toBe(false)
  }
  for (const odd of ['null', '*', '', 'x'.repeat(3_000), 'https://a\0b']) {
    expect(await countQueries(async () => expect(await isKnownOrigin(ctx, odd)).toBe(false))).toBe(0)
  }
  await update(ctx, client.id, { disabled: true })
  expect(await isKnownOrigin(ctx, origin)).toBe(false)
})

test('a post-logout redirect URI is known only while an enabled client lists exactly that text', async () => {
  const uri = 'https://spa.example.com/bye?x=1'
  const { client } = await register(ctx, { postLogoutRedirectUris: [uri] })
  expect(await isKnownPostLogoutUri(ctx, uri)).toBe(true)
  for (const other of [`${uri}&y=2`, 'https://spa.example.com/bye', 'javascript:alert(1)', 'https://a\0b', '']) {
    expect(await isKnownPostLogoutUri(ctx, other)).toBe(false)
  }
  await update(ctx, client.id, { disabled: true })
  expect(await isKnownPostLogoutUri(ctx, uri)).toBe(false)
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  authorize,
  claimsOf,
  exchange,
  findIds,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  userinfo,
} from '../support/world.ts'

let service: TestService
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  await addMember(service, 'gus@globex.test', 'acme')
})
afterAll(() => service.close())
beforeEach(async () => {
  cookie = await signIn(url, 'gus@globex.test')
})

const GUS = 'gus@globex.test'

async function setMembership(
  slug: string,
  change: { status?: 'ACTIVE' | 'SUSPENDED' | 'INVITED'; role?: 'admin' | 'member' },
) {
  const { userId, tenantId } = await findIds(service, GUS, slug)
  await service.ctx.db
    .updateTable('memberships')
    .set({
      ...change,
      joined_at: change.status === 'INVITED' ? null : new Date(),
      invited_until: new Date(Date.now() + 86_400_000),
    })
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)
    .execute()
}

test('prompt=none for a user with several tenants is interaction_required', async () => {
  const { answer } = await authorize(url, cookie, { prompt: 'none' })
  expect(answer).toMatchObject({ error: 'interaction_required', state: 'st' })
})

test('a requested tenant is in the token with the current role, and one session can have tokens for two (T030)', async () => {
  const [acme, globex] = await Promise.all(
    ['acme', 'globex'].map(async (tenant) => claimsOf((await obtainTokens(url, cookie, { tenant })).access_token)),
  )
  expect(acme).toMatchObject({ tenant_slug: 'acme', tenant_roles: ['member'] })
  expect(globex).toMatchObject({ tenant_slug: 'globex', tenant_roles: ['owner'] })
  expect(acme?.sid).toBe(globex?.sid)
})

test.each(['INVITED', 'SUSPENDED'] as const)(
  'a tenant in which the user is %s is access_denied (T029)',
  async (status) => {
    await setMembership('acme', { status })
    const { answer } = await authorize(url, cookie, { tenant: 'acme' })
    expect(answer).toMatchObject({ error: 'access_denied', state: 'st' })
    const { answer: silent } = await authorize(url, cookie, { prompt: 'none' })
    const { body } = await exchange(url, silent.code)
    expect(claimsOf(body.access_token).tenant_slug).toBe('globex')
    await setMembership('acme', { status: 'ACTIVE' })
  },
)

test.each(['acme ', '%00'])('the tenant %j is access_denied (T029)', async (tenant) => {
  const { answer, response } = await authorize(url, cookie, { tenant })
  if (response.status === 303) expect(answer.error).toBe('access_denied')
  else expect(response.status).toBe(400)
})

test('a refresh switches the grant to another tenant without a login', async () => {
  const tokens = await obtainTokens(url, cookie, { tenant: 'globex' })
  const switched = await refresh(url, tokens.refresh_token, { tenant: 'acme' })
  expect(claimsOf(switched.body.access_token)).toMatchObject({
    tenant_slug: 'acme',
    tenant_roles: ['member'],
  })
  const next = await refresh(url, switched.body.refresh_token)
  expect(claimsOf(next.body.access_token)).toMatchObject({ tenant_slug: 'acme' })
})

test('switching to a tenant without a membership is refused and does not use up the token', async () => {
  const mia = await obtainTokens(url, await signIn(url, 'mia@acme.test'))
  expect(await refresh(url, mia.refresh_token, { tenant: 'globex' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
  expect((await refresh(url, mia.refresh_token)).status).toBe(200)
})

test('a changed role is in the next refreshed token, and a removed member gets no token', async () => {
  const tokens = await obtainTokens(url, cookie, { tenant: 'acme' })
  await setMembership('acme', { role: 'admin' })
  const next = await refresh(url, tokens.refresh_token)
  expect(claimsOf(next.body.access_token)).toMatchObject({ tenant_roles: ['admin'] })
  const { userId, tenantId } = await findIds(service, GUS, 'acme')
  await service.ctx.db
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)
    .execute()
  expect(await refresh(url, next.body.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  await addMember(service, GUS, 'acme')
})

test('a tenant that requires a second factor refuses authorization, exchange and refresh without one', async () => {
  const tokens = await obtainTokens(url, cookie, { tenant: 'acme' })
  const setPolicy = (mfa_policy: 'REQUIRED' | 'OPTIONAL') =>
    service.ctx.db.updateTable('tenants').set({ mfa_policy }).where('slug', '=', 'acme').execute()
  const { answer: early } = await authorize(url, cookie, { tenant: 'acme' })
  await setPolicy('REQUIRED')
  expect((await authorize(url, cookie, { tenant: 'acme' })).answer).not.toHaveProperty('code')
  expect(await exchange(url, early.code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await refresh(url, tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  const elsewhere = await obtainTokens(url, cookie, { tenant: 'globex' })
  expect(await refresh(url, elsewhere.refresh_token, { tenant: 'acme' })).toMatchObject({ status: 400 })
  await setPolicy('OPTIONAL')
})

test('the chosen tenant is not stored in the browser session', async () => {
  await obtainTokens(url, cookie, { tenant: 'acme' })
  const { answer } = await authorize(url, cookie, { prompt: 'none' })
  expect(answer.error).toBe('interaction_required')
})

test('a token stays invalid after its user leaves and rejoins the tenant, also if its grant has switched tenants', async () => {
  const first = await obtainTokens(url, cookie, { tenant: 'acme' })
  const { body: moved } = await refresh(url, first.refresh_token, { tenant: 'globex' })
  const { userId, tenantId } = await findIds(service, GUS, 'acme')
  const { db } = service.ctx
  await db.deleteFrom('memberships').where('user_id', '=', userId).where('tenant_id', '=', tenantId).execute()
  service.advance(2_000)
  const now = service.ctx.now()
  const back = { role: 'member', status: 'ACTIVE', joined_at: now, created_at: now, updated_at: now } as const
  await db
    .insertInto('memberships')
    .values({ id: newId(), tenant_id: tenantId, user_id: userId, ...back })
    .execute()
  await service.ctx.changes.waitUntilCurrent()
  expect([await userinfo(url, first.access_token), await userinfo(url, moved.access_token)]).toEqual([401, 200])
})

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { hashSecret } from '../../src/lib/secrets.ts'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { whileLocked } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { addMember, claimsOf, findIds, obtainTokens, refresh, startDemoService } from '../support/world.ts'

let service: TestService
let watch: StatementWatch
let url: string
let ann: TestUser
beforeAll(async () => {
  service = await startDemoService()
  watch = await watchStatements(service)
  url = service.url
})
afterAll(async () => {
  await watch?.close()
  await service.close()
})
beforeEach(async () => {
  ann = await createSignedInUser(service)
  await addMember(service, ann.email, 'acme')
})

/** A refresh token that this process issued and has cached. */
async function cachedToken(): Promise<string> {
  const { refresh_token } = await obtainTokens(url, ann.cookie, { tenant: 'acme' })
  return (await refresh(url, refresh_token)).body.refresh_token
}

/** Changes the database directly and waits for the announcement. */
async function change(statement: ReturnType<typeof sql>): Promise<void> {
  await statement.execute(service.ctx.db)
  await service.ctx.changes.waitUntilCurrent()
}

test('rotating a cached token takes one statement, every time', async () => {
  let token = await cachedToken()
  for (let i = 0; i < 3; i++) {
    const count = await watch.count(async () => {
      token = (await refresh(url, token)).body.refresh_token
    })
    expect(count).toBe(1)
  }
})

test('each node caches one token of a grant whose client uses several nodes', async () => {
  const other = await startDemoService({ sameDatabaseAs: service })
  onTestFinished(other.close)
  let token = await cachedToken()
  const entries = () => [service, other].map(({ ctx }) => ctx.cache.describe().entries)
  const hop = async (node: TestService) => {
    const { status, body } = await refresh(node.url, token)
    expect(status).toBe(200)
    token = body.refresh_token
  }
  for (const node of [other, service]) await hop(node)
  const before = entries()
  for (let turn = 0; turn < 3; turn++) for (const node of [other, service]) await hop(node)
  expect(entries()).toEqual(before)
})

test('a changed role or a narrower scope is in the next token', async () => {
  const { userId, tenantId } = await findIds(service, ann.email, 'acme')
  const first = await cachedToken()
  await change(sql`update memberships set role = 'admin' where user_id = ${userId} and tenant_id = ${tenantId}`)
  const second = (await refresh(url, first)).body
  expect(claimsOf(second.access_token)).toMatchObject({ tenant_roles: ['admin'] })
  const { body } = await refresh(url, second.refresh_token, { scope: 'openid' })
  expect(body.scope).toBe('openid')
  const wide = await refresh(url, body.refresh_token, { scope: 'openid admin' })
  expect(wide.body).toMatchObject({ error: 'invalid_scope' })
})

test.each([
  ['disabled', () => sql`update users set disabled = true where email = ${ann.email}`],
  ['no longer a member', () => sql`delete from memberships where user_id = ${ann.id}`],
  ['signed out', () => sql`delete from sessions where user_id = ${ann.id}`],
])('a user who is %s gets no token immediately afterwards', async (_, statement) => {
  const token = await cachedToken()
  await change(statement())
  const { status, body } = await refresh(url, token)
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
})

test('a cached token that was used on another node ends its family', async () => {
  const token = await cachedToken()
  await change(sql`update refresh_tokens set used_at = now() where used_at is null and grant_id in
    (select id from grants where user_id = ${ann.id})`)
  expect((await refresh(url, token)).body).toMatchObject({ error: 'invalid_grant' })
  const { rows } = await sql`select from grants join refresh_tokens on grant_id = grants.id
    where user_id = ${ann.id} and tenant_id is not null`.execute(service.ctx.db)
  expect(rows).toHaveLength(0)
})

test('of concurrent requests with the same token one succeeds, and the family ends', async () => {
  const token = await cachedToken()
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(url, token)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const winner = answers.find(({ status }) => status === 200)
  expect((await refresh(url, winner?.body.refresh_token ?? '')).status).toBe(400)
})

test('another client cannot use the token, and does not use it up', async () => {
  const token = await cachedToken()
  const foreign = await refresh(url, token, { client_id: 'demo-web', client_secret: 'demo-web-secret' })
  expect(foreign.status).toBe(400)
  expect((await refresh(url, token)).status).toBe(200)
})

test('concurrent rotations share statements, and each request gets its own tokens', async () => {
  const tokens: string[] = []
  for (let i = 0; i < 12; i++) tokens.push(await cachedToken())
  let replies: Awaited<ReturnType<typeof refresh>>[] = []
  const count = await watch.count(async () => {
    replies = await Promise.all(tokens.map((token) => refresh(url, token)))
  })
  expect(count).toBeLessThan(tokens.length)
  expect(replies.map(({ status }) => status)).toEqual(tokens.map(() => 200))
  expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(tokens.length)
  expect(new Set(replies.map(({ body }) => claimsOf(body.access_token).jti)).size).toBe(tokens.length)
})

test('a refused or locked token does not delay the others of its batch', async () => {
  const tokens: string[] = []
  for (let i = 0; i < 6; i++) tokens.push(await cachedToken())
  const bad = await createSignedInUser(service)
  await addMember(service, bad.email, 'acme')
  const first = await obtainTokens(url, bad.cookie, { tenant: 'acme' })
  const doomed = (await refresh(url, first.refresh_token)).body.refresh_token
  const held = await cachedToken()
  await change(sql`update users set disabled = true where id = ${bad.id}`)
  const hold = {
    statement: `select from grants where id = (select grant_id from refresh_tokens where hash = $1) for update`,
    values: [hashSecret(held)],
  }
  const waiting = await whileLocked(service, hold, async (waitFor) => {
    const late = refresh(url, held)
    const others = [doomed, ...tokens].map((token) => refresh(url, token))
    const [refused, ...served] = await Promise.all(others)
    expect(refused?.body).toMatchObject({ error: 'invalid_grant' })
    expect(served.map(({ status }) => status)).toEqual(tokens.map(() => 200))
    await waitFor(1)
    return { late }
  })
  expect((await waiting.late).status).toBe(200)
})

test('new tokens are not sent before the old one is used up', async () => {
  const token = await cachedToken()
  const hold = {
    statement: 'select from refresh_tokens where hash = $1 for update',
    values: [hashSecret(token)],
  }
  let isAnswered = false
  const waiting = await whileLocked(service, hold, async (waitFor) => {
    const late = refresh(url, token).finally(() => {
      isAnswered = true
    })
    await waitFor(1)
    // Longer than signing the new tokens takes.
    for (let i = 0; i < 4; i++) await service.ctx.signer.sign('JWT', {})
    expect(isAnswered).toBe(false)
    return { late }
  })
  expect((await waiting.late).status).toBe(200)
})

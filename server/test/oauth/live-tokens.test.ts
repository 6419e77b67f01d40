import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import {
  admin,
  findIds,
  introspect,
  machineToken,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  type Tokens,
  token,
  userinfo,
} from '../support/world.ts'

let node: TestService
let other: TestService

beforeAll(async () => {
  node = await startDemoService()
  other = await startService({ sameDatabaseAs: node })
})
afterAll(async () => {
  await other?.close()
  await node?.close()
})

/** Tokens of a new session, cached on both nodes. */
async function warmTokens(email: string): Promise<Tokens> {
  const tokens = await obtainTokens(node.url, await signIn(node.url, email))
  for (const { url } of [node, other]) expect(await userinfo(url, tokens.access_token)).toBe(200)
  return tokens
}

/** Invalid on this node immediately, and on the other after the announcement. */
async function expectInvalid({ access_token, refresh_token }: Tokens) {
  expect(await userinfo(node.url, access_token)).toBe(401)
  await expect.poll(() => userinfo(other.url, access_token)).toBe(401)
  expect(await introspect(other.url, access_token)).toEqual({ active: false })
  expect(await refresh(node.url, refresh_token)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
}

/** Waits until changes written directly to the database are announced. */
const changesAnnounced = () => node.ctx.changes.waitUntilCurrent()

describe('an access token becomes invalid on every node with the end of', () => {
  test('its session (T072)', async () => {
    const cookie = await signIn(node.url, 'mia@acme.test')
    const tokens = await obtainTokens(node.url, cookie)
    expect(await userinfo(other.url, tokens.access_token)).toBe(200)
    const elsewhere = await warmTokens('mia@acme.test')
    await fetch(`${node.url}/api/auth/logout`, { method: 'POST', headers: { cookie } })
    await expectInvalid(tokens)
    expect(await userinfo(node.url, elsewhere.access_token)).toBe(200)
  })

  test('its user, when the account is disabled', async () => {
    const tokens = await warmTokens('max@acme.test')
    const users = (disabled: boolean) =>
      node.ctx.db.updateTable('users').set({ disabled }).where('email', '=', 'max@acme.test').execute()
    await users(true)
    await changesAnnounced()
    await expectInvalid(tokens)
    await users(false)
    await changesAnnounced()
    await expectInvalid(tokens)
  })

  test('its membership, when suspended, while other tenants of the user are unaffected (T130)', async () => {
    const tokens = await warmTokens('adam@acme.test')
    const { userId, tenantId } = await findIds(node, 'adam@acme.test', 'acme')
    const setStatus = async (status: 'ACTIVE' | 'SUSPENDED') => {
      await node.ctx.db
        .updateTable('memberships')
        .set({ status })
        .where('user_id', '=', userId)
        .where('tenant_id', '=', tenantId)
        .execute()
      await changesAnnounced()
    }
    await setStatus('SUSPENDED')
    await expectInvalid(tokens)
    await setStatus('ACTIVE')
    expect(await userinfo(node.url, tokens.access_token)).toBe(200)
    expect((await refresh(node.url, tokens.refresh_token)).status).toBe(200)
  })

  test('its client, when disabled', async () => {
    const tokens = await warmTokens('olivia@acme.test')
    const { id } = await node.ctx.db
      .selectFrom('clients')
      .select('id')
      .where('client_id', '=', 'demo-spa')
      .executeTakeFirstOrThrow()
    await admin(node.url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
    expect(await userinfo(node.url, tokens.access_token)).toBe(401)
    await expect.poll(() => userinfo(other.url, tokens.access_token)).toBe(401)
    expect(await refresh(other.url, tokens.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    await admin(node.url, `/api/admin/clients/${id}`, { disabled: false }, 'PATCH')
    // Enabling the client again does not make the token valid again.
    await expectInvalid(tokens)
  })

  test('its own revocation, which affects no other token', async () => {
    const tokens = await warmTokens('mia@acme.test')
    const form = new URLSearchParams({ token: tokens.access_token, client_id: 'demo-spa' })
    await fetch(`${node.url}/api/oauth/revoke`, { method: 'POST', body: form })
    expect(await userinfo(node.url, tokens.access_token)).toBe(401)
    await expect.poll(() => userinfo(other.url, tokens.access_token)).toBe(401)
    expect((await refresh(node.url, tokens.refresh_token)).status).toBe(200)
  })

  test('the reuse of a refresh token of its family (T049)', async () => {
    const tokens = await warmTokens('mia@acme.test')
    const next = (await refresh(node.url, tokens.refresh_token)).body
    await refresh(other.url, tokens.refresh_token)
    await expect.poll(() => userinfo(node.url, next.access_token)).toBe(401)
    await expectInvalid(next)
  })

  test('the deletion of its tenant', async () => {
    const tokens = await warmTokens('gus@globex.test')
    await node.ctx.db.deleteFrom('tenants').where('slug', '=', 'globex').execute()
    await changesAnnounced()
    await expectInvalid(tokens)
  })

  test('the deletion of its user', async () => {
    const tokens = await warmTokens('max@acme.test')
    await node.ctx.db.deleteFrom('users').where('email', '=', 'max@acme.test').execute()
    await changesAnnounced()
    await expectInvalid(tokens)
  })
})

test("a machine client's token becomes invalid with the secret that obtained it, not with another (T064)", async () => {
  const { id } = await node.ctx.db
    .selectFrom('clients')
    .select('id')
    .where('client_id', '=', 'demo-machine')
    .executeTakeFirstOrThrow()
  const secrets = `/api/admin/clients/${id}/secrets`
  const fresh = await admin<{ id: string; clientSecret: string }>(node.url, secrets, {})
  const form = {
    grant_type: 'client_credentials',
    client_id: 'demo-machine',
    client_secret: fresh.clientSecret,
  }
  const second = (await token(other.url, form)).body.access_token
  const first = await machineToken(node.url, 'demo-machine')
  expect([(await introspect(node.url, first)).active, (await introspect(other.url, second)).active]).toEqual([
    true,
    true,
  ])
  await fetch(`${node.url}${secrets}/${fresh.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${await machineToken(node.url, 'demo-ops')}` },
  })
  expect(await introspect(node.url, second)).toEqual({ active: false })
  await expect.poll(async () => (await introspect(other.url, second)).active).toBe(false)
  expect(await token(node.url, form)).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  expect((await introspect(node.url, first)).active).toBe(true)
})

test('cached tokens are not trusted while the change feed is disconnected, and no change is missed', async () => {
  const tokens = await warmTokens('olivia@acme.test')
  const again = await warmTokens('olivia@acme.test')
  const client = new pg.Client(node.connection.direct)
  await client.connect()
  const listeners = `select pid from pg_stat_activity where datname = current_database()
    and pid <> pg_backend_pid() and query in ('listen latchkey_changes', 'select 1')`
  await client.query(`select pg_terminate_backend(pid) from (${listeners}) as listening`)
  await client.query('delete from sessions')
  await client.end()
  // The deletion must be seen whether or not the feed has reconnected.
  await expect.poll(() => userinfo(node.url, tokens.access_token)).toBe(401)
  await expect.poll(() => userinfo(other.url, again.access_token)).toBe(401)
  await expect.poll(() => node.ctx.changes.isCurrent(), { timeout: 5000 }).toBe(true)
  await warmTokens('olivia@acme.test')
})

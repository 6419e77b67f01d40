import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, errorReply } from '../../account/people.ts'
import { getMachineToken } from '../../licensing/licensed-tenant.ts'
import { startService, type TestService } from '../../support/service.ts'
import { withoutChangeFeed } from '../../support/without-change-feed.ts'
import { authorize, introspect, refresh, startDemoService, token, userinfo } from '../../support/world.ts'
import { createFixture, type Fixture, setSuspended } from './fixture.ts'

// A suspension applies on its own node immediately. On other nodes it applies immediately to everything that is read
// from the database, and to cached data after the change feed delivers it. Without the feed, nodes do not use the cache.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

interface CachedTokens {
  fixture: Fixture
  /** The token of the MACHINE client of the tenant. */
  machineToken: string
}

/** Tokens of a user and of a machine that both nodes have cached as valid. */
async function cacheTokens(): Promise<CachedTokens> {
  const fixture = await createFixture(here)
  const cached = { fixture, machineToken: await getMachineToken(fixture.firm) }
  for (const node of [here, there]) expect(await useTokensOn(node, cached)).toEqual([200, 200, 200, true, true])
  return cached
}

const checkOn = async ({ url }: TestService, { fixture: { firm, worker } }: CachedTokens, accessToken: string) => {
  const query = new URLSearchParams({ userId: worker.id, applicationId: firm.applicationId })
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${url}/api/integration/licenses/check?${query}`, { headers })).status
}

/** The results of all uses of the tokens on a node. */
async function useTokensOn(node: TestService, cached: CachedTokens) {
  const { access_token } = cached.fixture.tokens
  return [
    await userinfo(node.url, access_token),
    await checkOn(node, cached, access_token),
    await checkOn(node, cached, cached.machineToken),
    (await introspect(node.url, access_token)).active,
    (await introspect(node.url, cached.machineToken)).active,
  ]
}
const REFUSED = [401, 401, 401, false, false]

/** The operations that read the database each time. */
async function expectSuspended({ url }: TestService, { fixture }: CachedTokens): Promise<void> {
  const { firm, tokens, owner, member } = fixture
  expect(await introspect(url, tokens.refresh_token)).toEqual({ active: false })
  expect(await refresh(url, tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  const { answer } = await authorize(url, member.cookie, { tenant: firm.company.slug })
  expect(answer).toMatchObject({ error: 'access_denied' })
  const headers = { authorization: `Bearer ${owner.tokens.access_token}` }
  const response = await call(`${url}/api/tenants/${firm.company.id}`, { method: 'GET', headers })
  expect(response).toMatchObject(errorReply(403, 'TENANT_SUSPENDED'))
}

async function machineErrorOn({ url }: TestService, { fixture: { firm } }: CachedTokens) {
  const { clientId: client_id, clientSecret: client_secret } = firm.machine
  return (await token(url, { grant_type: 'client_credentials', client_id, client_secret })).body.error
}

describe('a suspension on one node', () => {
  test('applies immediately on this node, and to cached data on the other node shortly after', async () => {
    const cached = await cacheTokens()
    await setSuspended(here, cached.fixture.firm.company, true)
    await expectSuspended(there, cached)
    await expectSuspended(here, cached)
    expect(await useTokensOn(here, cached)).toEqual(REFUSED)
    expect(await machineErrorOn(here, cached)).toBe('unauthorized_client')
    await expect.poll(() => useTokensOn(there, cached)).toEqual(REFUSED)
    expect(await machineErrorOn(there, cached)).toBe('unauthorized_client')
  })

  test('applies immediately on all nodes while the change feed is down', async () => {
    const cached = await cacheTokens()
    await withoutChangeFeed([here, there], async () => {
      await setSuspended(here, cached.fixture.firm.company, true)
      // A node whose feed has just reconnected may have missed changes too.
      for (const node of [there, here]) {
        expect(await useTokensOn(node, cached)).toEqual(REFUSED)
        expect(await machineErrorOn(node, cached)).toBe('unauthorized_client')
        await expectSuspended(node, cached)
      }
    })
    for (const node of [here, there]) {
      await expect.poll(() => node.ctx.changes.isCurrent(), { timeout: 5000 }).toBe(true)
      await node.ctx.changes.waitUntilCurrent()
      expect(await useTokensOn(node, cached)).toEqual(REFUSED)
    }
  })

  test('ends on both nodes, and earlier refresh tokens work again', async () => {
    const cached = await cacheTokens()
    const { firm, tokens } = cached.fixture
    await setSuspended(here, firm.company, true)
    await expect.poll(() => useTokensOn(there, cached)).toEqual(REFUSED)
    await setSuspended(there, firm.company, false)
    const refreshed = await refresh(here.url, tokens.refresh_token)
    expect(refreshed.status).toBe(200)
    await expect.poll(() => machineErrorOn(here, cached)).toBe(undefined)
    const renewed = {
      fixture: { ...cached.fixture, tokens: refreshed.body },
      machineToken: await getMachineToken({ ...firm, service: there }),
    }
    for (const node of [here, there]) {
      await expect.poll(() => useTokensOn(node, renewed)).toEqual([200, 200, 200, true, true])
    }
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../../src/lib/secrets.ts'
import { createSignedInUser } from '../account/people.ts'
import { type BreakableProxy, openBreakableProxy } from '../support/breakable-proxy.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { obtainTokens, refresh, startDemoService, userinfo } from '../support/world.ts'
import { newKey, newProof, refreshForm, requestTokens } from './dpop/proofs.ts'

// A rotation that was committed but not answered, because the database connection was lost, may be retried. In all
// other cases reuse of a token ends its family.

const MINUTE = 60_000
const OTHER_CLIENT = { client_id: 'demo-web', client_secret: 'demo-web-secret' }

let lines: [BreakableProxy, BreakableProxy]
let nodes: [TestService, TestService]
beforeAll(async () => {
  lines = [await openBreakableProxy(), await openBreakableProxy()]
  const first = await startDemoService({ databaseProxy: lines[0].host })
  nodes = [first, await startDemoService({ sameDatabaseAs: first, databaseProxy: lines[1].host })]
})
afterAll(async () => {
  await nodes[1].close()
  await nodes[0].close()
  await Promise.all(lines.map((line) => line.close()))
})

/** Whether the first node has the token cached. */
type Origin = 'cached' | 'uncached'

async function newToken(origin: Origin): Promise<string> {
  const somebody = await createSignedInUser(nodes[0])
  const { refresh_token } = await obtainTokens(nodes[0].url, somebody.cookie)
  const from = nodes[origin === 'cached' ? 0 : 1]
  const { status, body } = await refresh(from.url, refresh_token)
  expect(status).toBe(200)
  return body.refresh_token
}

/** Sends a token to the first node, which commits the rotation and then loses the database like all nodes. */
async function refreshDuringOutage(token: string, origin: Origin, ...proofs: string[]): Promise<void> {
  lines[0].breakAfter(hashSecret(token), origin === 'cached' ? 1 : 2)
  const { status, body } = await requestTokens(nodes[0].url, refreshForm(token), ...proofs)
  expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
  lines[1].break()
  await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
}

/** Reads the database directly. */
const isUsed = async (token: string) => {
  const { used_at } = await nodes[0].ctx.db
    .selectFrom('refresh_tokens')
    .select('used_at')
    .where('hash', '=', hashSecret(token))
    .executeTakeFirstOrThrow()
  return used_at !== null
}

/** Retries a refresh while the response is 503. */
async function refreshWithRetry(url: string, token: string): ReturnType<typeof refresh> {
  const answer = await refresh(url, token)
  if (answer.status !== 503) return answer
  await sleep(20)
  return refreshWithRetry(url, token)
}

const mend = () => lines.forEach((line) => void line.repair())

describe('after the node that rotated a token was killed', () => {
  /** A token that a third node has rotated before it stopped, and the response of that node. */
  async function refreshAndEnd(how: 'killed' | 'gracefully') {
    const token = await newToken('cached')
    const ended = await startDemoService({ sameDatabaseAs: nodes[0] })
    const { body } = await refresh(ended.url, token)
    const number = ended.ctx.changes.processNumber ?? 0
    await ended.close()
    // A killed process does not delete its row.
    if (how === 'killed') await nodes[0].ctx.db.insertInto('processes').values({ number }).execute()
    return { token, received: body as { access_token: string; refresh_token: string } }
  }

  test('its client may retry the refresh once', async () => {
    const { token } = await refreshAndEnd('killed')
    const again = await refresh(nodes[1].url, token)
    expect(again.status).toBe(200)
    expect((await refresh(nodes[0].url, again.body.refresh_token)).status).toBe(200)
    expect(await refresh(nodes[0].url, token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect(await userinfo(nodes[1].url, again.body.access_token)).toBe(401)
  })

  test('of concurrent retries at most one succeeds, and the family ends', async () => {
    const { token } = await refreshAndEnd('killed')
    const all = await Promise.all([0, 1, 0, 1].map((node) => refresh(nodes[node as 0 | 1].url, token)))
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    for (const { body } of all.filter(({ status }) => status === 200))
      expect(await refresh(nodes[1].url, body.refresh_token)).toMatchObject({ status: 400 })
  })

  test('using the successor after a successful retry ends the family', async () => {
    const { token, received } = await refreshAndEnd('killed')
    const again = await refresh(nodes[1].url, token)
    expect(again.status).toBe(200)
    const other = await refresh(nodes[0].url, received.refresh_token)
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    for (const { access_token, refresh_token } of [again.body, received]) {
      expect(await userinfo(nodes[0].url, access_token)).toBe(401)
      expect(await refresh(nodes[1].url, refresh_token)).toMatchObject({ status: 400 })
    }
  })

  test.each<[string, (shown: Awaited<ReturnType<typeof refreshAndEnd>>) => Promise<unknown>]>([
    ['the successor was used', ({ received }) => refresh(nodes[0].url, received.refresh_token)],
    [
      'it was used more than a minute ago',
      ({ token }) =>
        nodes[0].ctx.db
          .updateTable('refresh_tokens')
          .set({ used_at: new Date(Date.now() - MINUTE - 1) })
          .where('hash', '=', hashSecret(token))
          .execute(),
    ],
  ])('a retry is refused when %s', async (_what, happen) => {
    const shown = await refreshAndEnd('killed')
    await happen(shown)
    const again = await refresh(nodes[1].url, shown.token)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await userinfo(nodes[0].url, shown.received.access_token)).toBe(401)
  })

  test('a request of another client changes nothing', async () => {
    const { token, received } = await refreshAndEnd('killed')
    const other = await refresh(nodes[1].url, token, OTHER_CLIENT)
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await refresh(nodes[1].url, received.refresh_token)).status).toBe(200)
  })

  test('a retry is refused after a graceful stop', async () => {
    const { token, received } = await refreshAndEnd('gracefully')
    expect(await refresh(nodes[1].url, token)).toMatchObject({ status: 400 })
    expect(await userinfo(nodes[0].url, received.access_token)).toBe(401)
  })
})

describe.each<[Origin]>([['cached'], ['uncached']])('a token that is %s on the node', (origin) => {
  test.each([0, 1])('may be retried on node %i as soon as the database is back', async (node) => {
    const token = await newToken(origin)
    await refreshDuringOutage(token, origin)
    mend()
    const { url } = nodes[node] as TestService
    const again = await refreshWithRetry(url, token)
    expect(again.status).toBe(200)
    expect(await userinfo(url, again.body.access_token)).toBe(200)
    expect((await refresh(url, again.body.refresh_token)).status).toBe(200)
  })

  test('is bound to the key of a DPoP proof only if the refresh succeeded', async () => {
    const token = await newToken(origin)
    const key = await newKey()
    await refreshDuringOutage(token, origin, await newProof(nodes[0].url, key))
    mend()
    await expect.poll(() => isUsed(token).catch(() => true)).toBe(false)
    await expect.poll(() => nodes[1].ctx.changes.isCurrent()).toBe(true)
    // The client may have lost the key, for example with the page that created it.
    const proof = await newProof(nodes[0].url, await newKey())
    const { status, body } = await requestTokens(nodes[1].url, refreshForm(token), proof)
    expect([status, body.token_type]).toEqual([200, 'DPoP'])
  })

  test('works once after that, and a second use ends the family', async () => {
    const token = await newToken(origin)
    await refreshDuringOutage(token, origin)
    mend()
    await expect.poll(() => isUsed(token).catch(() => true)).toBe(false)
    const both = await Promise.all(nodes.map(({ url }) => refresh(url, token)))
    expect(both.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(both.map(({ body }) => body.error)).toContain('invalid_grant')
    for (const { body } of both) {
      if (!body.access_token) continue
      expect(await userinfo(nodes[1].url, body.access_token)).toBe(401)
      expect((await refresh(nodes[1].url, body.refresh_token)).status).toBe(400)
    }
  })
})

test('an answered token stays used up, also right after an outage', async () => {
  const token = await newToken('cached')
  const { body } = await refresh(nodes[0].url, token)
  lines.forEach((line) => void line.break())
  await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
  mend()
  const again = await refreshWithRetry(nodes[1].url, token)
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await expect.poll(() => userinfo(nodes[0].url, body.access_token)).toBe(401)
  expect(await refresh(nodes[0].url, body.refresh_token)).toMatchObject({ status: 400 })
})

test('a token that was used more than a minute ago is refused without reading it again', async () => {
  const token = await newToken('cached')
  await refresh(nodes[0].url, token)
  lines.forEach((line) => void line.break())
  await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
  mend()
  await expect.poll(() => isUsed(token).catch(() => false)).toBe(true)
  await expect.poll(() => nodes[1].ctx.changes.isCurrent()).toBe(true)
  await nodes[0].ctx.db
    .updateTable('refresh_tokens')
    .set({ used_at: new Date(Date.now() - MINUTE - 1) })
    .where('hash', '=', hashSecret(token))
    .execute()
  const watch = await watchStatements(nodes[1])
  const statements = await watch.list(async () => {
    const again = await refreshWithRetry(nodes[1].url, token)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
  await watch.close()
  const looks = statements.filter(({ query }) => /^select .* join "refresh_tokens"/s.test(query))
  expect(looks.reduce((sum, { calls }) => sum + calls, 0)).toBe(1)
})

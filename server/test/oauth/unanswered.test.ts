import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../../src/lib/secrets.ts'
import { newSomebody } from '../account/people.ts'
import { type BrokenLine, openBrokenLine } from '../support/broken-line.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { obtainTokens, refresh, startWorld, userinfo } from '../support/world.ts'

// A refresh that was done, but could not be answered because the database went away, may be repeated as its client is
// told. In all other cases the second use of a token ends its family.

const MINUTE = 60_000
const OTHER_CLIENT = { client_id: 'demo-web', client_secret: 'demo-web-secret' }

let lines: [BrokenLine, BrokenLine]
let nodes: [TestService, TestService]
beforeAll(async () => {
  lines = [await openBrokenLine(), await openBrokenLine()]
  const first = await startWorld({ through: lines[0].host })
  nodes = [first, await startWorld({ beside: first, through: lines[1].host })]
})
afterAll(async () => {
  await nodes[1].close()
  await nodes[0].close()
  await Promise.all(lines.map((line) => line.close()))
})

/** Where the token that is shown was given out: the node knows what hangs on it, or has to look it up. */
type Origin = 'known' | 'unknown'

async function newToken(origin: Origin): Promise<string> {
  const somebody = await newSomebody(nodes[0])
  const { refresh_token } = await obtainTokens(nodes[0].url, somebody.cookie)
  const from = nodes[origin === 'known' ? 0 : 1]
  const { status, body } = await refresh(from.url, refresh_token)
  expect(status).toBe(200)
  return body.refresh_token
}

/** Shows a token to the first node, which uses it up and cannot answer, because all nodes lose the database. */
async function refreshInVain(token: string, origin: Origin): Promise<void> {
  lines[0].breakAfter(hashSecret(token), origin === 'known' ? 1 : 2)
  const { status, body } = await refresh(nodes[0].url, token)
  expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
  lines[1].break()
  await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
}

/** Past the service. */
const isUsed = async (token: string) => {
  const { used_at } = await nodes[0].ctx.db
    .selectFrom('refresh_tokens')
    .select('used_at')
    .where('hash', '=', hashSecret(token))
    .executeTakeFirstOrThrow()
  return used_at !== null
}

/** Repeats a refresh for as long as the node has no connection. */
async function refreshAsTold(url: string, token: string): ReturnType<typeof refresh> {
  const answer = await refresh(url, token)
  return answer.status === 503 ? refreshAsTold(url, token) : answer
}

const mend = () => lines.forEach((line) => void line.mend())

describe('when the node was killed that used a token up', () => {
  /** A token that a third node has used up before it ended, and the answer of that node. */
  async function refreshAndEnd(how: 'killed' | 'in order') {
    const token = await newToken('known')
    const ended = await startWorld({ beside: nodes[0] })
    const { body } = await refresh(ended.url, token)
    const number = ended.ctx.changes.processNumber ?? 0
    await ended.close()
    // One that is killed has no time to delete its row.
    if (how === 'killed') await nodes[0].ctx.db.insertInto('processes').values({ number }).execute()
    return { token, given: body as { access_token: string; refresh_token: string } }
  }

  test('its client may repeat the refresh, once', async () => {
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

  test('of several at once one succeeds at most, and the family ends', async () => {
    const { token } = await refreshAndEnd('killed')
    const all = await Promise.all([0, 1, 0, 1].map((node) => refresh(nodes[node as 0 | 1].url, token)))
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    for (const { body } of all.filter(({ status }) => status === 200))
      expect(await refresh(nodes[1].url, body.refresh_token)).toMatchObject({ status: 400 })
  })

  test('whoever has the answer after all ends the family with it: one of the two is a thief', async () => {
    const { token, given } = await refreshAndEnd('killed')
    const again = await refresh(nodes[1].url, token)
    expect(again.status).toBe(200)
    const other = await refresh(nodes[0].url, given.refresh_token)
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    for (const { access_token, refresh_token } of [again.body, given]) {
      expect(await userinfo(nodes[0].url, access_token)).toBe(401)
      expect(await refresh(nodes[1].url, refresh_token)).toMatchObject({ status: 400 })
    }
  })

  test.each<[string, (shown: Awaited<ReturnType<typeof refreshAndEnd>>) => Promise<unknown>]>([
    ['the answer was used', ({ given }) => refresh(nodes[0].url, given.refresh_token)],
    [
      'it was used more than a minute ago',
      ({ token }) =>
        nodes[0].ctx.db
          .updateTable('refresh_tokens')
          .set({ used_at: new Date(Date.now() - MINUTE - 1) })
          .where('hash', '=', hashSecret(token))
          .execute(),
    ],
  ])('not when %s', async (_what, happen) => {
    const shown = await refreshAndEnd('killed')
    await happen(shown)
    const again = await refresh(nodes[1].url, shown.token)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await userinfo(nodes[0].url, shown.given.access_token)).toBe(401)
  })

  test('another client changes nothing by showing it', async () => {
    const { token, given } = await refreshAndEnd('killed')
    const other = await refresh(nodes[1].url, token, OTHER_CLIENT)
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await refresh(nodes[1].url, given.refresh_token)).status).toBe(200)
  })

  test('not when it stopped in order', async () => {
    const { token, given } = await refreshAndEnd('in order')
    expect(await refresh(nodes[1].url, token)).toMatchObject({ status: 400 })
    expect(await userinfo(nodes[0].url, given.access_token)).toBe(401)
  })
})

describe.each<[Origin]>([['known'], ['unknown']])('a token that is %s to the node', (origin) => {
  test.each([0, 1])(
    'may be shown again to node %i at the moment at which the database is back',
    async (node) => {
      const token = await newToken(origin)
      await refreshInVain(token, origin)
      mend()
      const { url } = nodes[node] as TestService
      const again = await refreshAsTold(url, token)
      expect(again.status).toBe(200)
      expect(await userinfo(url, again.body.access_token)).toBe(200)
      expect((await refresh(url, again.body.refresh_token)).status).toBe(200)
    },
  )

  test('is good once: whoever comes second, owner or thief, ends the family', async () => {
    const token = await newToken(origin)
    await refreshInVain(token, origin)
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

test('one that was answered is not good again, also while the database was away a moment ago', async () => {
  const token = await newToken('known')
  const { body } = await refresh(nodes[0].url, token)
  lines.forEach((line) => void line.break())
  await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
  mend()
  const again = await refreshAsTold(nodes[1].url, token)
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await expect.poll(() => userinfo(nodes[0].url, body.access_token)).toBe(401)
  expect(await refresh(nodes[0].url, body.refresh_token)).toMatchObject({ status: 400 })
})

test('one that was used more than a minute ago is refused without another look', async () => {
  const token = await newToken('known')
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
    const again = await refreshAsTold(nodes[1].url, token)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
  await watch.close()
  const looks = statements.filter(({ query }) => /select .* join "refresh_tokens"/.test(query))
  expect(looks.reduce((sum, { calls }) => sum + calls, 0)).toBe(1)
})

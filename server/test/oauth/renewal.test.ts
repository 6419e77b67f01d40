import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { hashSecret } from '../../src/lib/secrets.ts'
import { countRecent } from '../../src/oauth/grants/recent.ts'
import { newSomebody, type Somebody } from '../account/people.ts'
import { whileHeld } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { claimsOf, findIds, join, obtainTokens, refresh, startWorld } from '../support/world.ts'

let service: TestService
let watch: StatementWatch
let url: string
let ann: Somebody
beforeAll(async () => {
  service = await startWorld()
  watch = await watchStatements(service)
  url = service.url
})
afterAll(async () => {
  await watch?.close()
  await service.close()
})
beforeEach(async () => {
  ann = await newSomebody(service)
  await join(service, ann.email, 'acme')
})

/** A refresh token that this process gave out, and of which it knows what hangs on it. */
async function knownToken(): Promise<string> {
  const { refresh_token } = await obtainTokens(url, ann.cookie, { tenant: 'acme' })
  return (await refresh(url, refresh_token)).body.refresh_token
}

/** Changes something behind the back of the process, which has no time to hear of it. */
const change = (statement: ReturnType<typeof sql>) => statement.execute(service.ctx.db)

test('a token given out here is renewed with one statement, again and again', async () => {
  let token = await knownToken()
  for (let i = 0; i < 3; i++) {
    const count = await watch.count(async () => {
      token = (await refresh(url, token)).body.refresh_token
    })
    expect(count).toBe(1)
  }
})

test('of one who goes from node to node, each node remembers one token', async () => {
  const other = await startWorld({ beside: service })
  onTestFinished(other.close)
  let token = await knownToken()
  const before = countRecent(service.ctx)
  for (let turn = 0; turn < 6; turn++) {
    const { status, body } = await refresh(turn % 2 ? url : other.url, token)
    expect(status).toBe(200)
    token = body.refresh_token
  }
  expect([countRecent(service.ctx), countRecent(other.ctx)]).toEqual([before, 1])
})

test('another role, slug or wish is in the very next token', async () => {
  const { userId, tenantId } = await findIds(service, ann.email, 'acme')
  const first = await knownToken()
  await change(
    sql`update memberships set role = 'admin' where user_id = ${userId} and tenant_id = ${tenantId}`,
  )
  const second = (await refresh(url, first)).body
  expect(claimsOf(second.access_token)).toMatchObject({ tenant_roles: ['admin'] })
  const { body } = await refresh(url, second.refresh_token, { scope: 'openid' })
  expect(body.scope).toBe('openid')
  const wide = await refresh(url, body.refresh_token, { scope: 'openid admin' })
  expect(wide.body).toMatchObject({ error: 'invalid_scope' })
})

test.each([
  ['disabled', () => sql`update users set disabled = true where email = ${ann.email}`],
  ['no member any more', () => sql`delete from memberships where user_id = ${ann.id}`],
  ['signed out', () => sql`delete from sessions where user_id = ${ann.id}`],
])('whoever is %s gets none, at once', async (_, statement) => {
  const token = await knownToken()
  await change(statement())
  const { status, body } = await refresh(url, token)
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
})

test('one that was used elsewhere meanwhile ends its family', async () => {
  const token = await knownToken()
  await change(sql`update refresh_tokens set used_at = now() where used_at is null and grant_id in
    (select id from grants where user_id = ${ann.id})`)
  expect((await refresh(url, token)).body).toMatchObject({ error: 'invalid_grant' })
  const { rows } = await sql`select from grants join refresh_tokens on grant_id = grants.id
    where user_id = ${ann.id} and tenant_id is not null`.execute(service.ctx.db)
  expect(rows).toHaveLength(0)
})

test('of many at once with the same token one gets new ones, and then the family ends', async () => {
  const token = await knownToken()
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(url, token)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const winner = answers.find(({ status }) => status === 200)
  expect((await refresh(url, winner?.body.refresh_token ?? '')).status).toBe(400)
})

test('another client gets nothing for it, and takes nothing away', async () => {
  const token = await knownToken()
  const foreign = await refresh(url, token, { client_id: 'demo-web', client_secret: 'demo-web-secret' })
  expect(foreign.status).toBe(400)
  expect((await refresh(url, token)).status).toBe(200)
})

test('many who come at once share statements, and each gets their own tokens', async () => {
  const tokens: string[] = []
  for (let i = 0; i < 12; i++) tokens.push(await knownToken())
  let replies: Awaited<ReturnType<typeof refresh>>[] = []
  const count = await watch.count(async () => {
    replies = await Promise.all(tokens.map((token) => refresh(url, token)))
  })
  expect(count).toBeLessThan(tokens.length)
  expect(replies.map(({ status }) => status)).toEqual(tokens.map(() => 200))
  expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(tokens.length)
  expect(new Set(replies.map(({ body }) => claimsOf(body.access_token).jti)).size).toBe(tokens.length)
})

test('one among many who is refused, or held up by something else, holds up none of the others', async () => {
  const tokens: string[] = []
  for (let i = 0; i < 6; i++) tokens.push(await knownToken())
  const bad = await newSomebody(service)
  await join(service, bad.email, 'acme')
  const first = await obtainTokens(url, bad.cookie, { tenant: 'acme' })
  const doomed = (await refresh(url, first.refresh_token)).body.refresh_token
  const held = await knownToken()
  await change(sql`update users set disabled = true where id = ${bad.id}`)
  const hold = {
    statement: `select from grants where id = (select grant_id from refresh_tokens where hash = $1) for update`,
    values: [hashSecret(held)],
  }
  const waiting = await whileHeld(service, hold, async (waitFor) => {
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

test('what is signed meanwhile is given to nobody before the token is used up', async () => {
  const token = await knownToken()
  const hold = {
    statement: 'select from refresh_tokens where hash = $1 for update',
    values: [hashSecret(token)],
  }
  let isAnswered = false
  const waiting = await whileHeld(service, hold, async (waitFor) => {
    const late = refresh(url, token).finally(() => {
      isAnswered = true
    })
    await waitFor(1)
    // Twice as long as it takes to sign them.
    for (let i = 0; i < 4; i++) await service.ctx.signer.sign('JWT', {})
    expect(isAnswered).toBe(false)
    return { late }
  })
  expect((await waiting.late).status).toBe(200)
})

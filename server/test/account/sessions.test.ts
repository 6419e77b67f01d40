import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { buildMmdb } from '../support/mmdb.ts'
import { startService, type TestService } from '../support/service.ts'
import { claimsOf, findIds, obtainTokens, refresh, signIn, startDemoService, userinfo } from '../support/world.ts'

interface Session {
  id: string
  userAgent: string
  ipAddress: string
  location: string
  isCurrent: boolean
}

const DAY = 86_400_000
const MIA = 'mia@acme.test'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-sessions-'))
const geoipDatabase = join(folder, 'city.mmdb')
writeFileSync(
  geoipDatabase,
  buildMmdb({
    type: 'GeoLite2-City',
    ipVersion: 6,
    networks: {
      '81.2.69.0/24': { city: { names: { en: 'Berlin' } }, country: { names: { en: 'Germany' } } },
    },
  }),
)

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'], geoipDatabase } })
  url = service.url
})
afterAll(async () => {
  await service?.close()
  rmSync(folder, { recursive: true })
})

const asCookie = (cookie: string) => ({ cookie, origin: url })
const asBearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function call(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(`${url}/api/users/me/sessions${path}`, { method, headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function list(headers: Record<string, string>): Promise<Session[]> {
  const { status, body } = await call('GET', '', headers)
  expect(status).toBe(200)
  return body.sessions as Session[]
}

const entriesOf = async (action: string) => {
  const { userId } = await findIds(service, MIA, 'acme')
  return service.ctx.db
    .selectFrom('audit_entries')
    .select(['actor_id', 'details'])
    .where('user_id', '=', userId)
    .where('action', '=', action)
    .orderBy('id')
    .execute()
}

test('the session used last comes first, with its location', async () => {
  const older = await signIn(url, MIA, { 'x-forwarded-for': '81.2.69.7', 'user-agent': 'Older' })
  service.advance(2_000)
  const newer = await signIn(url, MIA, { 'user-agent': 'Newer' })
  expect(await list(asCookie(newer))).toMatchObject([
    { userAgent: 'Newer', ipAddress: '127.0.0.1', location: 'Unknown', isCurrent: true },
    { userAgent: 'Older', ipAddress: '81.2.69.7', location: 'Berlin, Germany', isCurrent: false },
  ])
  service.advance(120_000)
  expect(await list({ ...asCookie(older), 'x-forwarded-for': '81.2.69.8' })).toMatchObject([
    { userAgent: 'Older', ipAddress: '81.2.69.8', isCurrent: true },
    { userAgent: 'Newer', isCurrent: false },
  ])
  await call('DELETE', '', asCookie(newer))
})

test('a session is listed while its cookie is valid or an application has a grant from it', async () => {
  const idle = await signIn(url, 'max@acme.test', { 'user-agent': 'idle' })
  const held = await signIn(url, 'max@acme.test', { 'user-agent': 'held' })
  const { refresh_token } = await obtainTokens(url, held)
  service.advance(15 * DAY)
  const now = await signIn(url, 'max@acme.test', { 'user-agent': 'now' })
  expect((await list(asCookie(now))).map(({ userAgent }) => userAgent)).toEqual(['now', 'held'])
  expect((await call('GET', '', asCookie(idle))).status).toBe(401)
  // The tokens of the application still work, and belong to this session.
  const { body } = await refresh(url, refresh_token)
  const seen = await list(asBearer(body.access_token))
  expect(seen.map(({ userAgent, isCurrent }) => [userAgent, isCurrent])).toEqual([
    ['held', true],
    ['now', false],
  ])
  // The expired session is deleted, too, but it does not count as ended.
  expect((await call('DELETE', '', asBearer(body.access_token))).body).toMatchObject({ count: 1 })
})

test('the session of the last access token lists itself, although its grant has expired', async () => {
  const cookie = await signIn(url, 'olivia@acme.test')
  const { access_token } = await obtainTokens(url, cookie)
  const { sid } = claimsOf(access_token)
  const past = new Date(service.ctx.now().getTime() - 1_000)
  const { db } = service.ctx
  await db.updateTable('grants').set({ expires_at: past }).where('session_id', '=', String(sid)).execute()
  await db
    .updateTable('sessions')
    .set({ cookie_used_at: new Date(0) })
    .where('id', '=', String(sid))
    .execute()
  expect(await list(asBearer(access_token))).toMatchObject([{ id: sid, isCurrent: true }])
})

test('ending a session ends its tokens on every node, and is audited', async () => {
  const other = await startService({ sameDatabaseAs: service })
  onTestFinished(other.close)
  const cookie = await signIn(url, MIA)
  const lost = await obtainTokens(url, await signIn(url, MIA, { 'user-agent': 'Lost' }))
  for (const node of [service, other]) expect(await userinfo(node.url, lost.access_token)).toBe(200)
  const target = (await list(asCookie(cookie))).find(({ userAgent }) => userAgent === 'Lost')
  expect(await call('DELETE', `/${target?.id}`, asCookie(cookie))).toMatchObject({ status: 200 })
  expect(await userinfo(url, lost.access_token)).toBe(401)
  await expect.poll(() => userinfo(other.url, lost.access_token)).toBe(401)
  expect((await refresh(url, lost.refresh_token)).status).toBe(400)
  expect((await entriesOf('session.ended')).at(-1)?.details).toEqual({ sessionId: target?.id })
})

test('a failed attempt to end a session is not audited', async () => {
  const before = await entriesOf('session.ended')
  const cookie = await signIn(url, MIA)
  expect((await call('DELETE', `/${newId()}`, asCookie(cookie))).status).toBe(404)
  await call('DELETE', '', asCookie(cookie))
  const others = await entriesOf('session.others_ended')
  expect((await call('DELETE', '', asCookie(cookie))).body).toMatchObject({ count: 0 })
  expect(await entriesOf('session.ended')).toEqual(before)
  expect(await entriesOf('session.others_ended')).toEqual(others)
})

test('of two devices that end all others concurrently, at most one stays, and other people are not affected', async () => {
  const gus = await signIn(url, 'gus@globex.test')
  const [one, two] = [await signIn(url, MIA), await signIn(url, MIA)]
  await signIn(url, MIA)
  const answers = await Promise.all([one, two].map((cookie) => call('DELETE', '', asCookie(cookie))))
  expect(answers.every(({ status }) => [200, 401].includes(status))).toBe(true)
  const alive = await Promise.all([one, two].map((cookie) => call('GET', '', asCookie(cookie))))
  expect(alive.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  expect((await call('GET', '', asCookie(gus))).status).toBe(200)
})

test('the user agent is stored without control characters, and never logged raw (T098)', async () => {
  const name = `Evil\t\u0085\u009b31m${'x'.repeat(4_000)}`
  const cookie = await signIn(url, 'adam@acme.test', { 'user-agent': name })
  const [session] = await list(asCookie(cookie))
  expect(session?.userAgent).toBe(`Evil   31m${'x'.repeat(502)}`)
  expect(JSON.stringify(service.logs)).not.toMatch(/[\u0080-\u009f]/)
})

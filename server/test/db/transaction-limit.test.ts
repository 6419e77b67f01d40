import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, obtainTokens, refresh, signIn, startDemoService, userinfo } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const WRITES = 40
const ROUNDS = 3

test('writes that wait for a lock do not delay reads or tokens, and succeed when it is released', async () => {
  const { url } = service
  const cookie = await signIn(url, 'olivia@acme.test')
  const tokens = await obtainTokens(url, cookie)
  const { tokens: writer } = await createSignedInUser(service)
  const machine = await machineToken(url, 'demo-machine')
  const { tenants } = (await read('/api/tenants', { cookie })) as { tenants: { id: string }[] }
  const seat = await service.ctx.db.selectFrom('seats').select(['user_id', 'application_id']).executeTakeFirstOrThrow()

  const holder = new pg.Client(service.connection.direct)
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin; lock table audit_entries in access exclusive mode')
  let done = 0
  const write = async (number: number): Promise<number> => {
    const { status } = await fetch(`${url}/api/tenants`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', authorization: `Bearer ${writer.access_token}` },
      body: JSON.stringify({ name: `Company ${number}` }),
    })
    if (status === 201) done += 1
    // Repeated after a timeout in the queue.
    return status === 503 ? write(number) : status
  }
  const writes = Array.from({ length: WRITES }, (_, number) => write(number))
  await expect.poll(() => waitingForLock(holder)).toBeGreaterThan(2)

  let refreshToken = tokens.refresh_token
  for (let round = 0; round < ROUNDS; round++) {
    const renewed = await refresh(url, refreshToken)
    expect(renewed.status).toBe(200)
    refreshToken = renewed.body.refresh_token
    expect(await userinfo(url, renewed.body.access_token)).toBe(200)
    const check = `userId=${seat.user_id}&applicationId=${seat.application_id}`
    expect(
      await read(`/api/integration/licenses/check?${check}`, { authorization: `Bearer ${machine}` }),
    ).toMatchObject({ hasLicense: true })
    expect(await read(`/api/tenants/${tenants[0]?.id}/members`, { cookie })).toMatchObject({
      members: expect.any(Array),
    })
  }
  expect(done).toBe(0)
  await holder.query('rollback')
  expect(await Promise.all(writes)).toEqual(Array(WRITES).fill(201))
})

async function read(path: string, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(service.url + path, { headers })
  expect(response.status, path).toBe(200)
  return response.json()
}

async function waitingForLock(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as count from pg_locks where not granted and relation = 'audit_entries'::regclass`,
  )
  return rows[0].count
}

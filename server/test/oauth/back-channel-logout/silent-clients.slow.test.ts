import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendLogoutTokens } from '../../../src/oauth/back-channel-logout/dispatch.ts'
import type { TestService } from '../../support/service.ts'
import { startDemoService } from '../../support/world.ts'
import { ALLOW_LOOPBACK, receivedSids, startRelyingParty } from './relying-party.ts'

// Clients that do not respond, of which many logouts are due. A request to one ends after 15 seconds.

let service: TestService
beforeAll(async () => {
  service = await startDemoService({ config: ALLOW_LOOPBACK, forbidSlowWork: true })
})
afterAll(() => service?.close())

test('clients that do not respond do not take all requests for long', async () => {
  const queue = async ({ id }: { id: string }, { count, ageMs }: { count: number; ageMs: number }) => {
    const at = new Date(service.ctx.now().getTime() - ageMs)
    const rows = Array.from({ length: count }, () => {
      return { client_id: id, session_id: randomUUID(), user_id: randomUUID(), due_at: at, created_at: at }
    })
    await service.ctx.db.insertInto('logout_deliveries').values(rows).execute()
    return rows.map(({ session_id }) => session_id)
  }
  const silent = await Promise.all(Array.from({ length: 4 }, () => startRelyingParty(service)))
  for (const client of silent) {
    client.status = undefined
    await queue(client, { count: 12, ageMs: 60_000 })
  }
  const rp = await startRelyingParty(service)
  const sids = await queue(rp, { count: 1, ageMs: 0 })
  const stop = new AbortController()
  const running = sendLogoutTokens(service.ctx, stop.signal)
  await expect.poll(() => receivedSids(rp), { timeout: 25_000 }).toEqual(sids)
  stop.abort()
  await running
  for (const client of [...silent, rp]) await client.stop()
}, 45_000)

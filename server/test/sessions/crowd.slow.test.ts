import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { describePool } from '../../src/db/open.ts'
import { FULL } from '../support/rounds.ts'
import { PASSWORD, startWorld } from '../support/world.ts'

const CROWD = FULL ? 300 : 60

test('many sign-ins at once do not keep the other routes waiting for their end (T171)', async () => {
  const service = await startWorld({ config: { trustedProxies: ['127.0.0.1'], passwordHashMemoryMib: 19 } })
  onTestFinished(service.close)
  const answered: number[] = []
  const crowd = Array.from({ length: CROWD }, async (_, index) => {
    const { status } = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.3.${index % 250}.1` },
      body: JSON.stringify({ email: 'mia@acme.test', password: PASSWORD }),
    })
    answered.push(status)
  })
  expect((await fetch(`${service.url}/api/oauth/jwks`)).status).toBe(200)
  // A few connections at most, however many come: the rest are for others.
  for (let look = 0; look < 20; look++) {
    const { inUse, waiting } = describePool(service.ctx.db)
    expect({ inUse, waiting }).toEqual({ inUse: expect.toSatisfy((n) => n < 10), waiting: 0 })
    await sleep(5)
  }
  expect(answered.length).toBeLessThan(CROWD)
  await Promise.all(crowd)
  expect(answered.every((status) => [200, 429, 503].includes(status))).toBe(true)
})

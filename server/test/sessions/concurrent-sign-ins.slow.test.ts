import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { describePool } from '../../src/db/open.ts'
import { FULL } from '../support/rounds.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

const SIGN_IN_COUNT = FULL ? 300 : 40

test('concurrent sign-ins do not block other routes (T171)', async () => {
  const service = await startDemoService({
    config: { trustedProxies: ['127.0.0.1'], passwordHashMemoryMib: 19 },
  })
  onTestFinished(service.close)
  const answered: number[] = []
  const signIns = Array.from({ length: SIGN_IN_COUNT }, async (_, index) => {
    const { status } = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.3.${index % 250}.1` },
      body: JSON.stringify({ email: 'mia@acme.test', password: PASSWORD }),
    })
    answered.push(status)
  })
  expect((await fetch(`${service.url}/api/oauth/jwks`)).status).toBe(200)
  // Sign-ins must leave most connections of the pool to others.
  for (let look = 0; look < 20; look++) {
    const { inUse, waiting } = describePool(service.ctx.db)
    expect({ inUse, waiting }).toEqual({ inUse: expect.toSatisfy((n) => n < 10), waiting: 0 })
    await sleep(5)
  }
  expect(answered.length).toBeLessThan(SIGN_IN_COUNT)
  await Promise.all(signIns)
  expect(answered.every((status) => [200, 429, 503].includes(status))).toBe(true)
})

import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

const START_MS = 120_000
const LOOK_MS = 100

const isReady = async () => {
  const answer = await fetch(`${inject('baseUrl')}/health/ready`).catch(() => undefined)
  return answer?.status === 200
}

const deadline = Date.now() + START_MS
while (!(await isReady())) {
  if (Date.now() > deadline) throw new Error('the service did not start')
  await sleep(LOOK_MS)
}

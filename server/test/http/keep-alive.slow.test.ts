import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { FULL } from '../support/rounds.ts'
import { startService } from '../support/service.ts'

// Takes as long as the keep-alive timeout.
test.runIf(FULL)('an idle connection is closed, but not before the announced keep-alive timeout', async () => {
  const service = await startService()
  onTestFinished(service.close)
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.write('GET /api/oauth/jwks HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  const begin = performance.now()
  socket.resume()
  await once(socket, 'end')
  expect((performance.now() - begin) / 1_000).toBeGreaterThan(55)
  socket.destroy()
})

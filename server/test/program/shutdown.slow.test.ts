import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { freePort, READY, run, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

/** One request on its own connection. The body is sent in two parts with a pause. */
const slowPost = (port: string, pauseMs: number) =>
  new Promise<number | string>((resolve) => {
    const call = request(
      { port, host: '127.0.0.1', method: 'POST', path: '/health/live', agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    call.on('error', (error) => resolve(error.message))
    call.write('a')
    setTimeout(() => call.end('b'), pauseMs)
  })

/** A proxy that keeps its connection for the next request. */
function openProxy(port: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (method: string) =>
    new Promise<IncomingMessage & { isReused: boolean }>((resolve, reject) => {
      const call = request({ port, host: '127.0.0.1', method, path: '/health/live', agent }, (response) => {
        response.resume()
        response.on('end', () => resolve(Object.assign(response, { isReused: call.reusedSocket })))
      })
      call.on('error', reject)
      call.end()
    })
  return { send, close: () => agent.destroy() }
}

test('SIGTERM fails readiness first, finishes running requests, resets no connection and exits with 0', async () => {
  const database = await createDatabase()
  const port = await freePort()
  const env = {
    PORT: port,
    DATABASE_URL: database.url,
    LATCHKEY_DATA_DIR: join(tempFolder(), 'data'),
    // Long enough to finish all requests on a busy machine.
    DRAIN_DELAY_MS: FULL ? '4000' : '2000',
  }
  const program = run(['demo'], { env })
  await program.prints(READY)
  const base = `http://127.0.0.1:${port}`

  const failures: string[] = []
  let answered = 0
  let stopping = false
  const load = Promise.all(
    Array.from({ length: FULL ? 20 : 5 }, async () => {
      while (!stopping) {
        await fetch(`${base}/docs`).then(
          async (response) => {
            await response.text()
            answered++
            if (response.status !== 200) failures.push(String(response.status))
          },
          (error: Error) => failures.push(String(error.cause ?? error)),
        )
        await sleep(50)
      }
    }),
  )
  // Requests run all the time, even on a slow machine.
  await expect.poll(() => answered).toBeGreaterThan(FULL ? 100 : 20)
  const before = answered
  const slow = slowPost(port, FULL ? 5_000 : 3_000)
  const proxy = openProxy(port)
  expect((await proxy.send('GET')).headers.connection).toBe('keep-alive')
  await sleep(300)
  program.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${base}/health/ready`)).status, { timeout: 3_000 }).toBe(503)
  expect((await fetch(`${base}/health/live`)).status).toBe(200)
  stopping = true
  await load
  const isClosed = () =>
    fetch(`${base}/health/live`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    )
  await expect.poll(isClosed).toBe(true)
  const last = await proxy.send('POST')
  expect([last.isReused, last.statusCode, last.headers.connection]).toEqual([true, 405, 'close'])
  await expect(proxy.send('POST')).rejects.toThrow(/ECONNREFUSED/)
  proxy.close()
  expect(await slow).toBe(405)
  expect(await program.exited).toEqual({ code: 0, signal: null })
  // A stop that takes too long has another exit code.
  expect(failures).toEqual([])
  expect(answered).toBeGreaterThan(before)
  await database.close()
})

test.runIf(FULL)('a request that never ends does not delay a stop', async () => {
  const database = await createDatabase()
  const port = await freePort()
  const env = { PORT: port, DATABASE_URL: database.url, LATCHKEY_DATA_DIR: join(tempFolder(), 'data') }
  const program = run(['demo'], { env })
  await program.prints(READY)
  const stuck = slowPost(port, 60_000)
  await sleep(100)
  program.child.kill('SIGTERM')
  expect(await program.exited).toEqual({ code: 0, signal: null })
  expect(await stuck).toMatch(/socket hang up|ECONNRESET/)
  await database.close()
})

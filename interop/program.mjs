// The real program, with the data of the demo.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const LATCHKEY = fileURLToPath(new URL('../server/bin/latchkey.js', import.meta.url))
const START_TIMEOUT_MS = 300_000

/** Starts the demo on a free port, and waits until it is ready. */
export async function startProgram(dataFolder) {
  const port = await findFreePort()
  const child = spawn(process.execPath, [LATCHKEY, 'demo'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LATCHKEY_DATA_DIR: dataFolder,
      // The receivers of webhooks in the suites.
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      DRAIN_DELAY_MS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  // Also if this process ends while the demo is starting.
  process.once('exit', () => child.kill('SIGTERM'))
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!output.includes('Latchkey is ready at')) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Latchkey did not start:\n${output}`)
    if (Date.now() > deadline) {
      await stop()
      throw new Error(`Latchkey was not ready after ${START_TIMEOUT_MS / 1000} seconds:\n${output}`)
    }
    await sleep(50)
  }
  return { url: `http://localhost:${port}`, dataFolder, stop }
}

export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string
  }
}

const LATCHKEY = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))

/** Uses the service at BASE_URL; without one, starts the demo on a folder of its own and stops it afterwards. */
export default async function setup(project: TestProject) {
  // The test runner sets this variable too, to a path of its own.
  const given = process.env.BASE_URL ?? ''
  if (/^https?:/.test(given)) {
    project.provide('baseUrl', given)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-blackbox-'))
  chmodSync(folder, 0o711)
  const port = await freePort()
  const service = spawn(process.execPath, [LATCHKEY, 'demo'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LATCHKEY_DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    service.stdout.on('data', (chunk: Buffer) => chunk.includes('Latchkey is ready at') && resolve())
    ended.then(() => reject(new Error('the service did not start')))
  })
  project.provide('baseUrl', `http://localhost:${port}`)
  return async () => {
    service.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

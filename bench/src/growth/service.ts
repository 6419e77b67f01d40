import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** A database of a server. */
export interface Where {
  socketDir: string
  database: string
}

const LATCHKEY = fileURLToPath(new URL('../../../server/bin/latchkey.js', import.meta.url))
/** The same each time, for databases that are kept. */
const KEY = Buffer.alloc(32, 1).toString('base64')
const PATIENCE_MS = 60_000

const environment = ({ socketDir, database }: Where, more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  DATABASE_URL: `postgresql://latchkey@localhost/${database}?host=${encodeURIComponent(socketDir)}`,
  LATCHKEY_ENCRYPTION_KEY: KEY,
  // Whoever asks signs in once, however long it takes.
  ACCESS_TOKEN_TTL: '86400',
  ...more,
})

/** Runs a command of `latchkey` on a database to its end. */
export async function runLatchkey(where: Where, args: string[]): Promise<void> {
  const child = spawn(process.execPath, [LATCHKEY, ...args], {
    env: environment(where),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`latchkey ${args[0]} ended with ${code}: ${said}`)
}

export interface Service {
  url: string
  pid: number
  stop(): Promise<void>
}

/** The service as it runs in production, in a process of its own. */
export async function startService(where: Where): Promise<Service> {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, [LATCHKEY, 'serve'], {
    env: environment(where, { PORT: String(port), HOST: '127.0.0.1', BASE_URL: url }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const endHard = () => void child.kill('SIGKILL')
  process.once('exit', endHard)
  const stop = async () => {
    process.off('exit', endHard)
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  try {
    await waitUntilReady(child, `http://127.0.0.1:${port}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop }
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The service did not become ready.')
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port is free.')
  return address.port
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface DatabaseAddress {
  socketDir: string
  database: string
}

const LATCHKEY = fileURLToPath(new URL('../../../server/bin/latchkey.js', import.meta.url))
/** Constant, because databases are reused. */
const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64')
const READY_TIMEOUT_MS = 60_000

const environment = ({ socketDir, database }: DatabaseAddress, extra: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  DATABASE_URL: `postgresql://latchkey@localhost/${database}?host=${encodeURIComponent(socketDir)}`,
  LATCHKEY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  // The clients sign in once per run.
  ACCESS_TOKEN_TTL: '86400',
  ...extra,
})

/** Runs a `latchkey` command and waits for its end. */
export async function runLatchkey(address: DatabaseAddress, args: string[]): Promise<void> {
  const child = spawn(process.execPath, [LATCHKEY, ...args], {
    env: environment(address),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errorOutput = ''
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`latchkey ${args[0]} ended with ${code}: ${errorOutput}`)
}

export interface Service {
  url: string
  pid: number
  stop(): Promise<void>
}

/** Starts the service in production mode, as a separate process. */
export async function startService(address: DatabaseAddress): Promise<Service> {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, [LATCHKEY, 'serve'], {
    env: environment(address, { PORT: String(port), HOST: '127.0.0.1', BASE_URL: url }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
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
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (response?.ok) return
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

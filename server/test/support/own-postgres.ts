import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'
import { prepareHome } from '../../src/db/bundled/home.ts'
import { locatePrograms } from '../../src/db/bundled/programs.ts'
import { startBundled } from '../../src/db/bundled/server.ts'
import { isRoot, NOBODY } from './demo.ts'
import { freePort, tempFolder } from './program.ts'

/** A separate PostgreSQL server on a TCP port, like an operator's own. */
export interface OwnPostgres {
  /** The value for DATABASE_URL, without parameters. */
  url: string
  /** A folder for files that the server reads. */
  folder: string
  start(): Promise<void>
  /** Kills it with SIGKILL, like a crash. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 60_000

/** Makes a file readable for the server only. */
export function giveToServer(file: string): void {
  chmodSync(file, 0o600)
  if (isRoot) chownSync(file, NOBODY, NOBODY)
}

/** Creates and starts the server. `settings` are those of postgresql.conf. */
export async function startOwnPostgres(
  settings: (folder: string) => Record<string, string> = () => ({}),
  folder = tempFolder(),
): Promise<OwnPostgres> {
  const port = await freePort()
  writeFileSync(join(folder, 'hba'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n')
  giveToServer(join(folder, 'hba'))
  // The bundled start creates the cluster, the role and the database. Afterwards the server is started directly.
  await (await startBundled(folder, { use: 'own' })).stop()
  const home = prepareHome(folder)
  const allSettings = {
    listen_addresses: '127.0.0.1',
    port,
    hba_file: join(folder, 'hba'),
    unix_socket_directories: '',
    ...settings(folder),
  }
  const flags = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = `postgres://latchkey@localhost:${port}/latchkey`
  let server: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals) => {
    const exited = new Promise((resolve) => server?.once('exit', resolve))
    if (server?.kill(signal)) await exited
    server = undefined
  }
  const launch = () => {
    server = spawn(locatePrograms(home).postgres, ['-D', home.cluster, ...flags], {
      ...home.identity,
      env: {},
      stdio: 'ignore',
    })
    server.once('exit', () => {
      server = undefined
    })
  }
  const start = () =>
    vi.waitFor(
      async () => {
        // The start fails while child processes of a killed server are still exiting.
        if (!server) launch()
        const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'latchkey', ssl: false })
        client.on('error', () => {})
        await client.connect()
        await client.end()
      },
      { timeout: START_TIMEOUT_MS, interval: 100 },
    )
  await start()
  return { url, folder, start, kill: () => end('SIGKILL'), stop: () => end('SIGINT') }
}

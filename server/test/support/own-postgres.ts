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

/** A PostgreSQL apart from that of the other tests, reached over TCP like an operator's own. */
export interface OwnPostgres {
  /** The address for DATABASE_URL, without parameters. */
  url: string
  /** A folder for files that the server reads. */
  folder: string
  start(): Promise<void>
  /** Ends it without a warning, as a crash would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const START_MS = 60_000

/** Makes a file readable for the server alone. */
export function giveToServer(file: string): void {
  chmodSync(file, 0o600)
  if (isRoot) chownSync(file, NOBODY, NOBODY)
}

/** Makes the server and starts it. `settings` are those of postgresql.conf. */
export async function startOwnPostgres(
  settings: (folder: string) => Record<string, string> = () => ({}),
  folder = tempFolder(),
): Promise<OwnPostgres> {
  const port = await freePort()
  writeFileSync(join(folder, 'hba'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n')
  giveToServer(join(folder, 'hba'))
  // Our own start makes the cluster, its role and its database; then it runs as somebody else's server would.
  await (await startBundled(folder, { use: 'own' })).stop()
  const home = prepareHome(folder)
  const chosen = {
    listen_addresses: '127.0.0.1',
    port,
    hba_file: join(folder, 'hba'),
    unix_socket_directories: '',
    ...settings(folder),
  }
  const flags = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = `postgres://latchkey@localhost:${port}/latchkey`
  let server: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    if (server?.kill(signal)) await ended
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
        // It refuses to start while what belonged to one that was killed is still ending.
        if (!server) launch()
        const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'latchkey', ssl: false })
        client.on('error', () => {})
        await client.connect()
        await client.end()
      },
      { timeout: START_MS, interval: 100 },
    )
  await start()
  return { url, folder, start, kill: () => end('SIGKILL'), stop: () => end('SIGINT') }
}

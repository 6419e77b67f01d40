import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { connect, openDb } from '../../src/db/open.ts'
import { isReachable } from '../../src/db/ping.ts'
import { isRoot, NOBODY } from '../support/demo.ts'
import { giveToServer, type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { freePort } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

const has = (program: string, flag: string) => spawnSync(program, [flag]).status === 0

/** A PostgreSQL on a TCP port with TLS, like an operator's own. */
describe.skipIf(!has('openssl', 'version'))('a DATABASE_URL', () => {
  let server: OwnPostgres
  beforeAll(async () => {
    server = await startOwnPostgres((folder) => {
      const ca = makeCertificate(folder, 'server', 'localhost')
      makeCertificate(folder, 'other', 'localhost')
      for (const name of ['server.key', 'server.crt']) giveToServer(join(folder, name))
      chmodSync(ca, 0o644)
      return {
        ssl: 'on',
        ssl_cert_file: join(folder, 'server.crt'),
        ssl_key_file: join(folder, 'server.key'),
      }
    })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(server.folder, { recursive: true, force: true })
  })

  const open = async (parameters: string, more: Record<string, string> = {}) => {
    const DATABASE_URL = server.url + parameters
    const connection = await connect(loadConfig('demo', { DATABASE_URL, ...more }), 'own')
    await connection.close()
  }

  test('with TLS and the right certificate authority connects', async () => {
    await open(`?sslmode=verify-full&sslrootcert=${join(server.folder, 'server.crt')}`)
  })

  test('with another certificate authority is rejected', async () => {
    await expect(open(`?sslmode=verify-full&sslrootcert=${join(server.folder, 'other.crt')}`)).rejects.toThrow(
      /cannot be used: .*(?:self.signed|certificate|signature)/i,
    )
    await expect(open('?sslmode=verify-full')).rejects.toThrow(/cannot be used: self.signed certificate/)
  })

  test('with sslmode=no-verify connects without verification', async () => {
    await open('?sslmode=no-verify')
  })

  describe.runIf(FULL && has('pgbouncer', '--version'))('through PgBouncer in transaction mode', () => {
    let bouncer: ChildProcess | undefined
    let bouncerPort: string

    beforeAll(async () => {
      bouncerPort = await freePort()
      const config = join(server.folder, 'pgbouncer.ini')
      writeFileSync(
        config,
        [
          '[databases]',
          `latchkey = host=127.0.0.1 port=${new URL(server.url).port} user=latchkey`,
          '[pgbouncer]',
          'listen_addr = 127.0.0.1',
          `listen_port = ${bouncerPort}`,
          'unix_socket_dir =',
          'auth_type = any',
          'pool_mode = transaction',
        ].join('\n'),
      )
      chmodSync(config, 0o644)
      bouncer = spawn('pgbouncer', [config], { stdio: 'ignore', ...(isRoot && { uid: NOBODY, gid: NOBODY }) })
    })
    afterAll(() => bouncer?.kill())

    const pooled = () => `postgres://latchkey@127.0.0.1:${bouncerPort}/latchkey`

    test('is rejected without DATABASE_DIRECT_URL, and the error names the solution', async () => {
      await expect
        .poll(() => connect(loadConfig('demo', { DATABASE_URL: pooled() }), 'own').catch(String), {
          timeout: 20_000,
        })
        .toMatch(/leads through a pooler in transaction mode.*set DATABASE_DIRECT_URL/)
    })

    test('is accepted with a DATABASE_DIRECT_URL', async () => {
      const direct = `${server.url}?sslmode=no-verify`
      const config = loadConfig('demo', { DATABASE_URL: pooled(), DATABASE_DIRECT_URL: direct })
      const connection = await connect(config, 'own')
      const db = openDb(connection, 5)
      const results = await Promise.all(Array.from({ length: 20 }, () => isReachable(db)))
      await db.destroy()
      expect(results).toEqual(Array.from({ length: 20 }, () => true))
    })
  })
})

function makeCertificate(folder: string, name: string, host: string): string {
  const [key, crt] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${host}`,
      '-addext',
      `subjectAltName=DNS:${host}`,
      '-keyout',
      key,
      '-out',
      crt,
    ],
    { stdio: 'ignore' },
  )
  return crt
}

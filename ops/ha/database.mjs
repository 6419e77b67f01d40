// Three PostgreSQL servers under Patroni, with etcd for leader election.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isRoot, start, stop, waitUntil } from './processes.mjs'
import { startRelays } from './relays.mjs'
import { FOLDER, MEMBERS, memberName, memberOf, PASSWORDS, PORTS, postgresPrograms } from './settings.mjs'

const runFile = promisify(execFile)
const HOST = '127.0.0.1'

/** The WAL archive, for point-in-time recovery. */
export const ARCHIVE = join(FOLDER, 'archive')

/** Returns the Debian packages of missing programs. */
export async function findMissing() {
  const programs = { etcd: 'etcd-server', patroni: 'patroni', haproxy: 'haproxy' }
  const missing = await Promise.all(
    Object.entries(programs).map(async ([program, name]) => {
      const isInstalled = await runFile('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).then(
        () => true,
        () => false,
      )
      return isInstalled ? [] : [name]
    }),
  )
  return [...missing.flat(), ...(postgresPrograms() ? [] : ['postgresql'])]
}

export async function startDatabase() {
  mkdirSync(FOLDER, { recursive: true })
  chmodSync(FOLDER, 0o755)
  for (const name of ['etcd', 'haproxy', 'archive', ...MEMBERS.map(memberName)]) {
    mkdirSync(join(FOLDER, name), { recursive: true, mode: 0o700 })
  }
  if (isRoot)
    await runFile('chown', [
      'postgres:',
      ...['etcd', 'archive', ...MEMBERS.map(memberName)].map((name) => join(FOLDER, name)),
    ])
  startEtcd()
  startRelays()
  await waitUntil('etcd', async () => (await fetch(`http://${HOST}:${PORTS.etcd}/health`)).ok)
  for (const member of MEMBERS) startMember(member)
  await waitUntil('a primary', findPrimary, 120_000)
  await waitUntilHealthy()
  await createDatabase()
}

export async function stopDatabase() {
  // The primary stops last, so that no standby is promoted.
  const primary = await findPrimary().catch(() => undefined)
  const order = MEMBERS.map(memberName).sort((name) => (name === primary ? 1 : -1))
  for (const name of order) await stop(name)
  for (const name of ['haproxy-database', 'etcd']) await stop(name)
}

function startEtcd() {
  const client = `http://${HOST}:${PORTS.etcd}`
  const peer = `http://${HOST}:${PORTS.etcdPeer}`
  const options = {
    name: 'etcd',
    'data-dir': join(FOLDER, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `etcd=${peer}`,
  }
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  start('etcd', ['etcd', ...flags], { asPostgres: true })
}

/** Starts Patroni for a member, which starts PostgreSQL. */
export function startMember(member) {
  const name = memberName(member)
  const folder = join(FOLDER, name)
  const file = join(folder, 'patroni.json')
  // Patroni reads YAML, a superset of JSON.
  writeFileSync(file, JSON.stringify(patroniSettings(member, folder), null, 2), { mode: 0o644 })
  const log = { PATRONI_LOG_LEVEL: 'INFO', PYTHONUNBUFFERED: '1' }
  start(name, ['patroni', file], { env: log, asPostgres: true })
}

const archiving = { archive_mode: 'on', archive_command: `test -f ${ARCHIVE}/%f || cp %p ${ARCHIVE}/%f` }

const patroniSettings = (member, folder) => ({
  scope: 'latchkey',
  name: memberName(member),
  restapi: {
    listen: `${HOST}:${PORTS.patroni(member)}`,
    connect_address: `${HOST}:${PORTS.patroniRelay(member)}`,
  },
  // The address that etcd advertises would bypass the relay.
  etcd3: { host: `${HOST}:${PORTS.etcdRelay(member)}`, use_proxies: true },
  bootstrap: {
    dcs: {
      // The minimum values of Patroni, for a fast failover.
      ttl: 20,
      loop_wait: 1,
      retry_timeout: 3,
      // Patroni does not wait for a crashed primary to restart.
      primary_start_timeout: 0,
      // A commit is acknowledged only after a second server has it.
      synchronous_mode: true,
      maximum_lag_on_failover: 1_048_576,
      postgresql: {
        use_pg_rewind: true,
        parameters: {
          max_connections: 200,
          wal_keep_size: '128MB',
          wal_log_hints: 'on',
          jit: 'off',
          ...archiving,
        },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
  },
  postgresql: {
    listen: `${HOST}:${PORTS.postgres(member)}`,
    connect_address: `${HOST}:${PORTS.postgresRelay(member)}`,
    data_dir: join(folder, 'data'),
    bin_dir: postgresPrograms(),
    pgpass: join(folder, 'pgpass'),
    parameters: { unix_socket_directories: folder },
    // A member that cannot be rewound gets a new base backup.
    remove_data_directory_on_rewind_failure: true,
    remove_data_directory_on_diverged_timelines: true,
    pg_hba: [
      `host replication replication ${HOST}/32 scram-sha-256`,
      `host all all ${HOST}/32 scram-sha-256`,
      'local all all trust',
    ],
    authentication: {
      superuser: { username: 'postgres', password: PASSWORDS.superuser },
      replication: { username: 'replication', password: PASSWORDS.replication },
      rewind: { username: 'postgres', password: PASSWORDS.superuser },
    },
  },
})

/** Runs a statement as superuser, on the primary unless a port is given. */
export async function query(statement, { database = 'postgres', port } = {}) {
  const targetPort = port ?? PORTS.postgres(memberOf(await findPrimary()))
  const env = {
    PGHOST: HOST,
    PGPORT: String(targetPort),
    PGUSER: 'postgres',
    PGPASSWORD: PASSWORDS.superuser,
  }
  return runFile(join(postgresPrograms(), 'psql'), ['-qAt', '-d', database, '-c', statement], { env })
}

async function createDatabase() {
  const { stdout } = await query(`select 1 from pg_database where datname = 'latchkey'`)
  if (stdout.trim() === '1') return
  await query(`create role latchkey login password '${PASSWORDS.latchkey}'`)
  await query('create database latchkey owner latchkey')
}

/** The cluster members as reported by Patroni. */
export async function readCluster() {
  const requests = MEMBERS.map(async (member) => {
    const response = await fetch(`http://${HOST}:${PORTS.patroni(member)}/cluster`, {
      signal: AbortSignal.timeout(2_000),
    })
    return (await response.json()).members
  })
  return Promise.any(requests)
}

/** The name of the primary. Each member is asked about itself, because the others may have outdated information. */
export async function findPrimary() {
  const requests = MEMBERS.map(async (member) => {
    const response = await fetch(`http://${HOST}:${PORTS.patroni(member)}/primary`, {
      signal: AbortSignal.timeout(2_000),
    })
    if (!response.ok) throw new Error('not the primary')
    return memberName(member)
  })
  return Promise.any(requests)
}

/**
 * Waits for a primary with two streaming standbys, one of them synchronous. `before` is the primary before a fault: it
 * only counts after a restart.
 */
export const waitUntilHealthy = ({ before, timeoutMs = 180_000 } = {}) =>
  waitUntil(
    'a primary with two standbys',
    async () => {
      const primary = await findPrimary()
      if (primary === before?.name && readPostmaster(primary) === before.pid) return false
      // The primary has the current state of its standbys.
      const { stdout } = await query(
        `select state, sync_state from pg_stat_replication where application_name ~ '^postgres-'`,
      )
      const standbys = stdout.trim().split('\n')
      const streaming = standbys.filter((standby) => standby.startsWith('streaming|'))
      return streaming.length === 2 && streaming.some((standby) => standby.endsWith('|sync'))
    },
    timeoutMs,
  )

/** The process id of the PostgreSQL server of a member. */
function readPostmaster(name) {
  const file = join(FOLDER, name, 'data', 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

export async function describePrimary() {
  const name = await findPrimary()
  return { name, pid: readPostmaster(name) }
}

/** Kills the primary with SIGKILL and returns its name and process id. */
export async function killPrimary() {
  const primary = await describePrimary()
  if (primary.pid === undefined) throw new Error(`${primary.name} is not running.`)
  process.kill(primary.pid, 'SIGKILL')
  return primary
}

/** Starts a switchover to the synchronous standby. */
export async function switchOver() {
  const primary = await describePrimary()
  const leader = primary.name
  const response = await fetch(`http://${HOST}:${PORTS.patroni(memberOf(leader))}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader }),
  })
  if (!response.ok) throw new Error(`Patroni rejected the switchover: ${await response.text()}`)
  return primary
}

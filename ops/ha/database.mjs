// Three PostgreSQL under Patroni, the etcd in which it keeps who is primary, and the haproxy before them.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isRoot, start, stop, until } from './processes.mjs'
import { FOLDER, MEMBERS, PASSWORDS, PORTS, postgresPrograms } from './settings.mjs'

const runFile = promisify(execFile)
const HOST = '127.0.0.1'
const socket = join(FOLDER, 'haproxy.sock')

/** Where the write-ahead log is kept, for restoring to any moment. */
export const ARCHIVE = join(FOLDER, 'archive')

/** Programs that must be there, and Debian's packages that hold them. */
export async function findMissing() {
  const programs = { etcd: 'etcd-server', patroni: 'patroni', haproxy: 'haproxy' }
  const found = await Promise.all(
    Object.entries(programs).map(async ([program, name]) => {
      const isThere = await runFile('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).then(
        () => true,
        () => false,
      )
      return isThere ? [] : [name]
    }),
  )
  return [...found.flat(), ...(postgresPrograms() ? [] : ['postgresql'])]
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
  startHaproxy()
  await until('etcd', async () => (await fetch(`http://${HOST}:${PORTS.etcd}/health`)).ok)
  for (const member of MEMBERS) startMember(member)
  await until('a primary', findPrimary, 120_000)
  await untilWhole()
  await createDatabase()
}

export async function stopDatabase() {
  // The primary last, so that nobody is promoted on the way.
  const primary = await findPrimary().catch(() => undefined)
  const order = MEMBERS.map(memberName).sort((name) => (name === primary ? 1 : -1))
  for (const name of order) await stop(name)
  for (const name of ['haproxy-database', 'etcd']) await stop(name)
}

export const memberName = (member) => `postgres-${member}`
export const memberOf = (name) => Number(name.split('-')[1])

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

/** Starts Patroni for a member, and by that its PostgreSQL. */
export function startMember(member) {
  const name = memberName(member)
  const folder = join(FOLDER, name)
  const file = join(folder, 'patroni.json')
  // Patroni reads YAML, of which JSON is a part.
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
  // Not the address that etcd itself tells: that leads past the relay.
  etcd3: { host: `${HOST}:${PORTS.etcdRelay(member)}`, use_proxies: true },
  bootstrap: {
    dcs: {
      // The shortest that Patroni allows, so that a failover takes seconds.
      ...{ ttl: 20, loop_wait: 1, retry_timeout: 3 },
      // A primary that has crashed is not waited for.
      primary_start_timeout: 0,
      // Nothing is acknowledged that only one server has.
      ...{ synchronous_mode: true, maximum_lag_on_failover: 1_048_576 },
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
    // A member that cannot be brought back to where the others are is copied anew.
    ...{ remove_data_directory_on_rewind_failure: true, remove_data_directory_on_diverged_timelines: true },
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

function startHaproxy() {
  const relay = (name, from, to) => `
listen ${name}
  bind ${HOST}:${from}
  server only ${HOST}:${to}
`
  const relays = MEMBERS.map((member) =>
    [
      relay(`postgres-${member}`, PORTS.postgresRelay(member), PORTS.postgres(member)),
      relay(`patroni-${member}`, PORTS.patroniRelay(member), PORTS.patroni(member)),
      relay(`etcd-${member}`, PORTS.etcdRelay(member), PORTS.etcd),
    ].join(''),
  )
  const servers = MEMBERS.map(
    (member) =>
      `  server ${memberName(member)} ${HOST}:${PORTS.postgresRelay(member)} check port ${PORTS.patroniRelay(member)}`,
  )
  const file = join(FOLDER, 'haproxy', 'database.cfg')
  writeFileSync(
    file,
    `global
  stats socket ${socket} mode 600 level admin
  maxconn 4000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
${relays.join('')}
listen primary
  bind ${HOST}:${PORTS.primary}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  )
  start('haproxy-database', ['haproxy', '-db', '-f', file], {
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  })
}

/** Asks a database as its superuser; the primary, unless another port is named. */
export async function query(statement, { database = 'postgres', port } = {}) {
  const chosen = port ?? PORTS.postgres(memberOf(await findPrimary()))
  const env = { PGHOST: HOST, PGPORT: String(chosen), PGUSER: 'postgres', PGPASSWORD: PASSWORDS.superuser }
  return runFile(join(postgresPrograms(), 'psql'), ['-qAt', '-d', database, '-c', statement], { env })
}

async function createDatabase() {
  const { stdout } = await query(`select 1 from pg_database where datname = 'latchkey'`)
  if (stdout.trim() === '1') return
  await query(`create role latchkey login password '${PASSWORDS.latchkey}'`)
  await query('create database latchkey owner latchkey')
}

/** Every member as Patroni sees it. */
export async function readCluster() {
  const answers = MEMBERS.map(async (member) => {
    const response = await fetch(`http://${HOST}:${PORTS.patroni(member)}/cluster`, {
      signal: AbortSignal.timeout(2_000),
    })
    return (await response.json()).members
  })
  return Promise.any(answers)
}

/** The name of the primary. Its own word counts, because others may not know yet. */
export async function findPrimary() {
  const asked = MEMBERS.map(async (member) => {
    const response = await fetch(`http://${HOST}:${PORTS.patroni(member)}/primary`, {
      signal: AbortSignal.timeout(2_000),
    })
    if (!response.ok) throw new Error('not the primary')
    return memberName(member)
  })
  return Promise.any(asked)
}

/**
 * Waits until there is a primary, and two standbys that follow it, one of which has everything. After a fault that is
 * another server than the one before, or the same one started anew.
 */
export const untilWhole = ({ before, patienceMs = 180_000 } = {}) =>
  until(
    'a primary with two standbys',
    async () => {
      const primary = await findPrimary()
      if (primary === before?.name && readPostmaster(primary) === before.pid) return false
      // The primary itself knows best who follows it.
      const { stdout } = await query(
        `select state, sync_state from pg_stat_replication where application_name ~ '^postgres-'`,
      )
      const standbys = stdout.trim().split('\n')
      const streaming = standbys.filter((line) => line.startsWith('streaming|'))
      return streaming.length === 2 && streaming.some((line) => line.endsWith('|sync'))
    },
    patienceMs,
  )

/** The process id of a member's PostgreSQL. */
function readPostmaster(name) {
  const file = join(FOLDER, name, 'data', 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

/** The primary as it is now. */
export async function describePrimary() {
  const name = await findPrimary()
  return { name, pid: readPostmaster(name) }
}

/** Kills the PostgreSQL of the primary, as a crash would, and returns which one it was. */
export async function killPrimary() {
  const primary = await describePrimary()
  if (primary.pid === undefined) throw new Error(`${primary.name} is not running.`)
  process.kill(primary.pid, 'SIGKILL')
  return primary
}

/** Hands over to the standby that has everything. */
export async function switchOver() {
  const primary = await describePrimary()
  const leader = primary.name
  const response = await fetch(`http://${HOST}:${PORTS.patroni(memberOf(leader))}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader }),
  })
  if (!response.ok) throw new Error(`Patroni refused: ${await response.text()}`)
  return primary
}

/** Cuts a member off from the others, from etcd and from every client. */
export async function partition(name) {
  for (const kind of ['postgres', 'patroni', 'etcd']) {
    await tellHaproxy(`set server ${kind}-${memberOf(name)}/only state maint`)
    await tellHaproxy(`shutdown sessions server ${kind}-${memberOf(name)}/only`)
  }
}

export async function heal(name) {
  for (const kind of ['postgres', 'patroni', 'etcd']) {
    await tellHaproxy(`set server ${kind}-${memberOf(name)}/only state ready`)
  }
}

const tellHaproxy = (command) =>
  new Promise((resolve, reject) => {
    const line = createConnection(socket)
    let answer = ''
    line.on('data', (chunk) => {
      answer += chunk
    })
    line.on('end', () => resolve(answer))
    line.on('error', reject)
    line.end(`${command}\n`)
  })

// Where everything lies and listens. One folder holds all of it; `down` removes the folder.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const FOLDER = resolve(process.env.HA_FOLDER ?? '.latchkey-ha')
const FIRST_PORT = Number(process.env.HA_FIRST_PORT ?? 7100)

export const MEMBERS = [1, 2, 3]
export const NODES = [1, 2, 3]

/** The program of the nodes; another release for the test of an upgrade. */
export const LATCHKEY = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))

const port = (offset) => FIRST_PORT + offset
export const PORTS = {
  /** The address of the whole: the proxy before the nodes. */
  proxy: port(0),
  node: (number) => port(number),
  etcd: port(10),
  etcdPeer: port(11),
  /** haproxy before PostgreSQL: whatever connects here reaches the primary. */
  primary: port(12),
  postgres: (member) => port(20 + member),
  patroni: (member) => port(30 + member),
  // By these a member is reached and reaches etcd. haproxy can close them, which cuts the member off.
  postgresRelay: (member) => port(40 + member),
  patroniRelay: (member) => port(50 + member),
  etcdRelay: (member) => port(60 + member),
}

export const PASSWORDS = { superuser: 'superuser', replication: 'replication', latchkey: 'latchkey' }

const credentials = `latchkey:${PASSWORDS.latchkey}`
const relays = MEMBERS.map((member) => `127.0.0.1:${PORTS.postgresRelay(member)}`).join(',')

/** Two ways to the primary: the service finds it by itself, or haproxy leads to it. */
export const DATABASE_URLS = {
  direct: `postgres://${credentials}@${relays}/latchkey?target_session_attrs=read-write`,
  haproxy: `postgres://${credentials}@127.0.0.1:${PORTS.primary}/latchkey`,
}

/** The newest PostgreSQL of Debian that is installed. */
export function postgresPrograms() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).filter((name) => /^\d+$/.test(name)) : []
  const newest = Math.max(...versions.map(Number))
  return versions.length > 0 ? join(root, String(newest), 'bin') : undefined
}

// Paths and ports. All files are in one folder, which `down` removes.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const FOLDER = resolve(process.env.HA_FOLDER ?? '.latchkey-ha')
const FIRST_PORT = Number(process.env.HA_FIRST_PORT ?? 7100)

export const MEMBERS = [1, 2, 3]
export const NODES = [1, 2, 3]

export const memberName = (member) => `postgres-${member}`
export const memberOf = (name) => Number(name.split('-')[1])

/** The program of the nodes. */
export const LATCHKEY = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))

const port = (offset) => FIRST_PORT + offset
export const PORTS = {
  /** The proxy in front of the nodes. */
  proxy: port(0),
  node: (number) => port(number),
  etcd: port(10),
  etcdPeer: port(11),
  /** haproxy in front of PostgreSQL, which forwards to the primary. */
  primary: port(12),
  postgres: (member) => port(20 + member),
  patroni: (member) => port(30 + member),
  // All traffic of a member goes through these relays. haproxy can block them to simulate a network partition.
  postgresRelay: (member) => port(40 + member),
  patroniRelay: (member) => port(50 + member),
  etcdRelay: (member) => port(60 + member),
}

export const PASSWORDS = { superuser: 'superuser', replication: 'replication', latchkey: 'latchkey' }

const credentials = `latchkey:${PASSWORDS.latchkey}`
const relays = MEMBERS.map((member) => `127.0.0.1:${PORTS.postgresRelay(member)}`).join(',')

/** The service finds the primary itself, or haproxy forwards to it. */
export const DATABASE_URLS = {
  direct: `postgres://${credentials}@${relays}/latchkey?target_session_attrs=read-write`,
  haproxy: `postgres://${credentials}@127.0.0.1:${PORTS.primary}/latchkey`,
}

/** The binaries of the newest installed PostgreSQL. */
export function postgresPrograms() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).filter((name) => /^\d+$/.test(name)) : []
  const newest = Math.max(...versions.map(Number))
  return versions.length > 0 ? join(root, String(newest), 'bin') : undefined
}

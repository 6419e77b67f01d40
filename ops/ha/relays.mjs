// haproxy in front of PostgreSQL. It forwards to the primary, and all traffic of a member goes through relays that can
// be blocked to simulate a network partition.
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { start } from './processes.mjs'
import { FOLDER, MEMBERS, memberName, memberOf, PORTS } from './settings.mjs'

const HOST = '127.0.0.1'
const socket = join(FOLDER, 'haproxy.sock')

export function startRelays() {
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

/** Disconnects a member from the other members, from etcd and from all clients. */
export async function partition(name) {
  for (const kind of ['postgres', 'patroni', 'etcd']) {
    await sendToHaproxy(`set server ${kind}-${memberOf(name)}/only state maint`)
    await sendToHaproxy(`shutdown sessions server ${kind}-${memberOf(name)}/only`)
  }
}

export async function heal(name) {
  for (const kind of ['postgres', 'patroni', 'etcd']) {
    await sendToHaproxy(`set server ${kind}-${memberOf(name)}/only state ready`)
  }
}

const sendToHaproxy = (command) =>
  new Promise((resolve, reject) => {
    const connection = createConnection(socket)
    let response = ''
    connection.on('data', (chunk) => {
      response += chunk
    })
    connection.on('end', () => resolve(response))
    connection.on('error', reject)
    connection.end(`${command}\n`)
  })

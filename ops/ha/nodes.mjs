// Three Latchkey nodes and the proxy in front of them.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pidOf, start, stop, waitUntil } from './processes.mjs'
import { DATABASE_URLS, FOLDER, LATCHKEY, NODES, PORTS } from './settings.mjs'

const HOST = '127.0.0.1'
export const BASE_URL = `http://localhost:${PORTS.proxy}`

export const nodeName = (number) => `latchkey-${number}`
const urlOf = (number) => `http://${HOST}:${PORTS.node(number)}`

export const isReady = (number) =>
  fetch(`${urlOf(number)}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** All nodes share one encryption key. */
function readEncryptionKey() {
  const file = join(FOLDER, 'encryption-key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/** The environment of a node. `databaseRouting` is how it finds the primary: direct or haproxy. */
export const nodeSettings = (number, { databaseRouting = process.env.HA_DATABASE ?? 'direct', env = {} } = {}) => ({
  HOST,
  PORT: String(PORTS.node(number)),
  BASE_URL,
  TRUSTED_PROXIES: `${HOST}/32`,
  DATABASE_URL: DATABASE_URLS[databaseRouting],
  LATCHKEY_ENCRYPTION_KEY: readEncryptionKey(),
  LATCHKEY_DATA_DIR: join(FOLDER, nodeName(number)),
  ...(process.env.SMTP_URL && { SMTP_URL: process.env.SMTP_URL }),
  ...env,
})

/** Starts a node with the demo data and waits until it is ready. `program` may be another release. */
export async function startNode(number, { program = LATCHKEY, ...options } = {}) {
  start(nodeName(number), [process.execPath, program, 'demo'], { env: nodeSettings(number, options) })
  await waitUntil(`${nodeName(number)} ready`, () => isReady(number), 120_000)
}

export const stopNode = (number, options) => stop(nodeName(number), options)

/** Starts the nodes one after the other. The first one runs the migrations. */
export async function startNodes(options) {
  for (const number of NODES) await startNode(number, options)
}

export async function restartNode(number, options) {
  await stopNode(number)
  await startNode(number, options)
}

/** A rolling restart. */
export async function restartNodes(options) {
  for (const number of NODES) await restartNode(number, options)
}

/** Starts nginx or haproxy with minimal settings. */
export async function startProxy(kind = process.env.HA_PROXY ?? 'haproxy') {
  mkdirSync(join(FOLDER, 'proxy'), { recursive: true })
  const file = join(FOLDER, 'proxy', `${kind}.conf`)
  writeFileSync(file, kind === 'nginx' ? nginxSettings() : haproxySettings())
  const command = kind === 'nginx' ? ['nginx', '-c', file, '-p', join(FOLDER, 'proxy')] : ['haproxy', '-db', '-f', file]
  start('proxy', command, { env: { PATH: `${process.env.PATH}:/usr/sbin` } })
  await waitUntil('the proxy', async () => (await fetch(`${BASE_URL}/health/live`)).ok)
}

export const stopProxy = () => stop('proxy', { signal: 'SIGTERM' })

const haproxySettings = () => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option forwardfor
  option redispatch
frontend public
  bind ${HOST}:${PORTS.proxy}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /health/live
${NODES.map((number) => `  server ${nodeName(number)} ${HOST}:${PORTS.node(number)} check inter 500ms`).join('\n')}
`

const nginxSettings = () => `daemon off;
pid ${join(FOLDER, 'proxy', 'nginx.pid')};
error_log ${join(FOLDER, 'logs', 'nginx-errors.log')};
events {}
http {
  access_log off;
  client_body_temp_path ${join(FOLDER, 'proxy', 'bodies')};
  proxy_temp_path ${join(FOLDER, 'proxy', 'answers')};
  fastcgi_temp_path ${join(FOLDER, 'proxy', 'fastcgi')};
  uwsgi_temp_path ${join(FOLDER, 'proxy', 'uwsgi')};
  scgi_temp_path ${join(FOLDER, 'proxy', 'scgi')};
  upstream nodes {
${NODES.map((number) => `    server ${HOST}:${PORTS.node(number)};`).join('\n')}
    keepalive 32;
  }
  server {
    listen ${HOST}:${PORTS.proxy};
    location / {
      proxy_pass http://nodes;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`

export const isRunning = (number) => pidOf(nodeName(number)) !== undefined

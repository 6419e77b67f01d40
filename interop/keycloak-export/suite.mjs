// Creates a realm with a real Keycloak, exports it, imports the export into a new Latchkey, and signs in there with the
// old passwords and the old authenticator app.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Secret, TOTP } from 'otpauth'

const KEYCLOAK = 'org.keycloak:keycloak-quarkus-dist:26.4.7:zip'
const LATCHKEY = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))
const REALM = JSON.parse(readFileSync(new URL('realm.json', import.meta.url), 'utf8'))
/** The realm is created once with each of these algorithms, because a realm has one for all passwords. */
const ALGORITHMS = ['argon2', 'pbkdf2-sha256', 'pbkdf2-sha512']
const TOTP_SECRET = 'dJ3kQ9mZx2Lw7RtB5vYc'
const START_MS = 300_000

const say = (text) => process.stdout.write(`${text}\n`)
const execute = promisify(execFile)
const isInstalled = (command) => spawnSync(command, ['--version']).error === undefined

function assert(condition, message) {
  if (!condition) throw new Error(message)
  say(`ok: ${message}`)
}

export const name = 'Import of a Keycloak export'

export async function findMissing() {
  if (!isInstalled('java')) return 'Java 17 or later is not installed (Debian package openjdk-17-jre-headless).'
  if (process.env.KEYCLOAK_HOME || (isInstalled('mvn') && isInstalled('unzip'))) return undefined
  return 'Keycloak 26 is not in KEYCLOAK_HOME, and Maven and unzip are not installed to fetch it.'
}

/** The folder of Keycloak. */
async function findKeycloak(folder) {
  if (process.env.KEYCLOAK_HOME) return process.env.KEYCLOAK_HOME
  say(`Fetching ${KEYCLOAK} with Maven.`)
  await execute('mvn', ['-q', 'dependency:copy', `-Dartifact=${KEYCLOAK}`, `-DoutputDirectory=${folder}`])
  const zip = readdirSync(folder).find((name) => name.endsWith('.zip'))
  await execute('unzip', ['-q', join(folder, zip), '-d', folder])
  return join(
    folder,
    readdirSync(folder).find((name) => /^keycloak-\d[\d.]*$/.test(name)),
  )
}

/** Creates the realms in a database of their own and exports them: one as a file, the others as folders. */
async function exportRealms(home, folder) {
  const env = { ...process.env, KC_DB: 'dev-file', KC_DB_URL: `jdbc:h2:file:${folder}/realms;NON_KEYWORDS=VALUE` }
  const keycloak = (...args) => execute(join(home, 'bin/kc.sh'), args, { env, maxBuffer: 64 * 1024 * 1024 })
  const exports = []
  for (const algorithm of ALGORITHMS) {
    say(`Creating and exporting a realm with ${algorithm}.`)
    const realm = `products-${algorithm}`
    const file = join(folder, `${realm}-input.json`)
    writeFileSync(file, JSON.stringify(toRealm(realm, algorithm)))
    await keycloak('import', '--file', file)
    const path = join(folder, `${realm}-export${exports.length === 0 ? '.json' : ''}`)
    const target = exports.length === 0 ? ['--file', path] : ['--dir', path, '--users', 'different_files']
    await keycloak('export', '--realm', realm, ...target)
    exports.push({ algorithm, path })
  }
  return exports
}

/** The realm with addresses, an organization and clients of its own. */
function toRealm(realm, algorithm) {
  const text = JSON.stringify(REALM)
    .replaceAll('acme', `acme-${algorithm}`)
    .replaceAll('Acme', `Acme ${algorithm}`)
    .replaceAll('products-', `${realm}-`)
  return { ...JSON.parse(text), realm, passwordPolicy: `hashAlgorithm(${algorithm})` }
}

const getFreePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

async function startLatchkey(env) {
  const service = spawn(process.execPath, [LATCHKEY, 'serve'], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(500)) {
    const response = await fetch(`${env.BASE_URL}/.well-known/openid-configuration`).catch(() => undefined)
    if (response?.ok) return service
  }
  throw new Error('Latchkey did not start.')
}

const post = (url, body, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function checkSignIns(url, algorithm) {
  const domain = `acme-${algorithm}.test`
  const logIn = (name, password) => post(`${url}/api/auth/login`, { email: `${name}@${domain}`, password })
  assert((await logIn('ada', 'another password')).status === 401, `${algorithm}: a wrong password is rejected`)
  assert((await logIn('ada', 'the password of ada 1')).status === 200, `${algorithm}: the old password works`)
  assert((await logIn('temporary', 'the temporary password')).status === 401, `${algorithm}: a temporary one does not`)
  const half = await logIn('totp', 'the password of tom 1')
  const cookie = half.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  assert((await half.json()).mfaRequired === true, `${algorithm}: the second factor is required`)
  const secret = new Secret({ buffer: new TextEncoder().encode(TOTP_SECRET).buffer })
  const answer = await post(`${url}/api/auth/mfa`, { code: new TOTP({ secret }).generate() }, { cookie })
  assert(answer.status === 200, `${algorithm}: the code of the old authenticator app works`)
}

export async function run({ folder }) {
  // PostgreSQL runs as another user if this runs as root.
  chmodSync(folder, 0o711)
  const home = await findKeycloak(folder)
  const exports = await exportRealms(home, folder)
  const port = await getFreePort()
  const env = {
    PATH: process.env.PATH,
    BASE_URL: `http://localhost:${port}`,
    HOST: '127.0.0.1',
    PORT: String(port),
    LATCHKEY_DATA_DIR: join(folder, 'latchkey'),
    LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:9',
  }
  const latchkey = (...args) =>
    execute(process.execPath, [LATCHKEY, ...args], { env }).catch((error) => ({ ...error, isFailure: true }))
  for (const { algorithm, path } of exports) {
    const args = ['import', 'keycloak', path, '--clients', '--application', `products-${algorithm}`]
    // One user has no address, so the command reports it and exits with 1.
    const first = await latchkey(...args, '--map-role', 'team-lead=owner')
    say(first.stderr + first.stdout)
    assert(first.stdout.includes('Tenants: 1 imported'), `${algorithm}: the organization is imported`)
    assert(first.stdout.includes('Users: 4 imported'), `${algorithm}: the users are imported`)
    assert(first.stdout.includes('Clients: 2 imported'), `${algorithm}: the clients are imported`)
    const again = await latchkey(...args)
    assert(again.stdout.includes('Users: 0 imported, 0 updated, 4 here already'), `${algorithm}: only once`)
  }
  const service = await startLatchkey(env)
  try {
    for (const { algorithm } of exports) await checkSignIns(env.BASE_URL, algorithm)
  } finally {
    service.kill('SIGTERM')
    await new Promise((resolve) => service.once('exit', resolve))
  }
}

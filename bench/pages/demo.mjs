import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))
const READY_MESSAGE = 'Latchkey is ready at'
const START_TIMEOUT_MS = 180_000
/** Enough for a full page of the tables. */
const MORE_MEMBERS = 24

/** Starts the demo in a temporary folder, with more members in the tenant Acme. */
export async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), LATCHKEY_DATA_DIR: folder }
  // The environment of the shell must not change the demo.
  for (const name of ['DATABASE_URL', 'BASE_URL']) delete env[name]
  const demo = spawn(process.execPath, [PROGRAM, 'demo'], { env })
  const exited = new Promise((resolve) => demo.once('close', resolve))
  const stop = async () => {
    demo.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `http://localhost:${port}`
  try {
    await waitUntilReady(demo)
    await addMembers(url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

function waitUntilReady(demo) {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`The demo ${why}:\n${output}`))
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS)
    const onOutput = (chunk) => {
      output += chunk
      if (!output.includes(READY_MESSAGE)) return
      clearTimeout(timer)
      resolve()
    }
    demo.stdout.on('data', onOutput)
    demo.stderr.on('data', onOutput)
    demo.once('close', () => fail('stopped'))
  })
}

async function addMembers(url) {
  const form = { grant_type: 'client_credentials', client_id: 'demo-ops', client_secret: 'demo-ops-secret' }
  const { access_token } = await request(`${url}/api/oauth/token`, { body: new URLSearchParams(form) })
  const call = (path, body) =>
    request(url + path, {
      headers: { authorization: `Bearer ${access_token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const { tenants } = await call('/api/admin/tenants?search=acme')
  const acme = tenants.find(({ slug }) => slug === 'acme')
  for (let number = 1; number <= MORE_MEMBERS; number++) {
    const email = `colleague-${number}@acme.test`
    const user = await call('/api/admin/users', { email, displayName: `Colleague ${number}` })
    await call(`/api/admin/tenants/${acme.id}/members`, { userId: user.id, role: 'member' })
  }
}

/** Sends a request, with POST if it has a body, and throws on an error status. */
async function request(address, options = {}) {
  const response = await fetch(address, { method: options.body ? 'POST' : 'GET', ...options })
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`)
  return response.json()
}

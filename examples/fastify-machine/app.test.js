import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { createMachineClient } from '@latchkey/node'

const LATCHKEY = 'node_modules/.bin/latchkey'
const issuer = process.env.LATCHKEY_URL ?? (await startLatchkey())
const operator = createMachineClient({ issuer, clientId: 'demo-ops', clientSecret: 'demo-ops-secret' })
const url = await startService()

test('a new member gets a seat, and with it the export', async () => {
  const olivia = getToken('olivia@acme.test')
  const userId = await addMember('ines@acme.test')
  await eventually(async () => {
    const { users } = await (await send('GET', '/licenses', olivia)).json()
    assert.deepEqual(users.find(({ email }) => email === 'ines@acme.test')?.licenseType, 'pro')
  })
  assert.equal((await send('POST', `/members/${userId}/export`, olivia)).status, 202)
})

test('a member without a license has no export', async () => {
  const { sub } = JSON.parse(Buffer.from(getToken('max@acme.test').split('.')[1], 'base64url'))
  const response = await send('POST', `/members/${sub}/export`, getToken('olivia@acme.test'))
  assert.equal(response.status, 403)
  assert.deepEqual(await response.json(), { error: 'license_required' })
})

test('only owners and admins of the tenant are admitted', async () => {
  assert.equal((await send('GET', '/licenses')).status, 401)
  assert.equal((await send('GET', '/licenses', getToken('mia@acme.test'))).status, 403)
  // He is the owner of another tenant.
  assert.equal((await send('GET', '/licenses', getToken('gus@globex.test'))).status, 401)
  assert.equal((await send('GET', '/licenses', getToken('adam@acme.test'))).status, 200)
})

test('a webhook without a valid signature is refused', async () => {
  const headers = {
    'webhook-id': '1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': 'v1,AAAA',
    'content-type': 'application/json',
  }
  const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body: '{"type":"member.joined"}' })
  assert.equal(response.status, 400)
})

async function addMember(email) {
  const { id } = await operator.call('POST /api/admin/users', { body: { email } })
  const { tenants } = await operator.call('GET /api/admin/tenants', { query: { search: 'acme' } })
  const path = { id: tenants[0].id }
  await operator.call('POST /api/admin/tenants/{id}/members', { path, body: { userId: id, role: 'member' } })
  return id
}

function getToken(user) {
  const args = ['token', '--user', user, '--client', 'demo-spa', '--url', issuer]
  return JSON.parse(execFileSync(LATCHKEY, args)).access_token
}

const send = (method, path, token) =>
  fetch(url + path, { method, headers: token ? { authorization: `Bearer ${token}` } : {} })

/** Starts Latchkey in test mode, with the data of the demo. */
async function startLatchkey() {
  const program = spawn(LATCHKEY, ['demo', '--test', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => program.kill())
  const [line] = await once(createInterface({ input: program.stdout }), 'line')
  return JSON.parse(line).baseUrl
}

/** The service as `npm run setup` and `npm start` run it. */
async function startService() {
  const env = { ...process.env, LATCHKEY_URL: issuer, PORT: String(await findPort()) }
  const settings = parseEnv(execFileSync('node', ['setup.js'], { env }).toString())
  const service = spawn('node', ['server.js'], { env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => service.kill())
  await once(service.stdout, 'data')
  return `http://localhost:${env.PORT}`
}

async function findPort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function eventually(check) {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const failure = await check().then(
      () => undefined,
      (error) => error,
    )
    if (failure === undefined) return
    if (Date.now() > deadline) throw failure
  }
}

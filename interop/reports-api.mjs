// The test of the API examples. They have the same three routes: /me for every user, /settings for owners and admins,
// and /reports for users with a license that has the feature "reports".
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from './demo-api.mjs'
import { findFreePort, startServer } from './server-process.mjs'

export const EXAMPLES = join(import.meta.dirname, '../examples')
const ROUTES = ['/me', '/settings', '/reports']
/** Longer than the SDKs reuse the result of a license check. */
const EVENTUALLY_MS = 60_000

/** Starts an example with the command of its README, and tests it. `toCommand` gets the port. */
export async function testReportsApi({ url, toCommand, cwd, env = {}, toUser }) {
  const applicationId = findApplicationId(url)
  const port = await findFreePort()
  const [command, ...args] = toCommand(port)
  const server = await startServer(command, args, {
    cwd,
    env: { ...env, LATCHKEY_URL: url, APPLICATION_ID: applicationId, PORT: String(port) },
    url: `http://localhost:${port}/me`,
  })
  try {
    const demo = await connect(url)
    const send = (path, token) =>
      fetch(`http://localhost:${port}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} })
    const context = { url, applicationId, demo, send, toUser }
    await step('only access tokens of the application are accepted', () => checkTokens(context))
    await step('each route admits the users that it should', () => checkRoutes(context))
    await step('a revoked seat closes the route and a new one opens it', () => checkSeat(context))
    await step('a license without the feature does not open the route', () => checkFeature(context))
    await step('a license check notices that the user has signed out', () => checkSignOut(context))
    await step('a license that cannot be checked is not a refusal', () => checkOutage(context))
  } catch (error) {
    console.error(server.readOutput())
    throw error
  } finally {
    await server.stop()
  }
}

async function step(name, check) {
  await check()
  console.log(`ok: ${name}`)
}

/** With the command of the READMEs. */
function findApplicationId(url) {
  const env = { ...process.env, LATCHKEY_URL: url }
  return execFileSync(process.execPath, [join(EXAMPLES, 'application-id.mjs')], { env, encoding: 'utf8' }).trim()
}

async function checkTokens({ demo, send }) {
  const { access_token, id_token } = await demo.getTokens('olivia@acme.test')
  const [header, payload, signature] = access_token.split('.')
  const forged = [header, payload, signature.replace(/^.{4}/, signature.startsWith('AAAA') ? 'BBBB' : 'AAAA')].join('.')
  const redirectUri = 'http://localhost:8080/callback'
  const other = await demo.createApplication({ name: 'Another application', redirectUris: [redirectUri] })
  try {
    const { access_token: foreign } = await demo.getTokens('olivia@acme.test', {
      client: other.clientId,
      options: ['--client-secret', other.clientSecret, '--redirect-uri', redirectUri],
    })
    for (const path of ROUTES) {
      for (const token of [undefined, 'no token', id_token, forged, foreign]) {
        const response = await send(path, token)
        assert.equal(response.status, 401, `${path} with ${token}`)
        assert.match(response.headers.get('www-authenticate'), /^Bearer\b/)
      }
    }
  } finally {
    await other.remove()
  }
}

async function checkRoutes({ demo, send, toUser }) {
  const admitted = {
    'olivia@acme.test': ['/me', '/settings'],
    'adam@acme.test': ['/me', '/settings'],
    'mia@acme.test': ['/me', '/reports'],
    'max@acme.test': ['/me'],
    'gus@globex.test': ['/me', '/settings'],
  }
  for (const [user, paths] of Object.entries(admitted)) {
    const { access_token } = await demo.getTokens(user)
    for (const path of ROUTES)
      assert.equal((await send(path, access_token)).status, paths.includes(path) ? 200 : 403, `${path} for ${user}`)
  }
  const { access_token } = await demo.getTokens('mia@acme.test')
  assert.deepEqual(await (await send('/me', access_token)).json(), toUser(readClaims(access_token)))
  assert.deepEqual(await (await send('/reports', access_token)).json(), { reports: ['A report for acme'] })
  const owner = await demo.getTokens('gus@globex.test')
  assert.deepEqual(await (await send('/settings', owner.access_token)).json(), { settings: 'The settings of globex' })
  for (const path of ['/settings', '/reports'])
    assert.equal((await send(path, demo.machineToken)).status, 403, `${path} for a machine`)
}

async function checkSeat({ applicationId, demo, send }) {
  const { access_token } = await demo.getTokens('mia@acme.test')
  const { sub, tenant_id } = readClaims(access_token)
  const seat = { userId: sub, tenantId: tenant_id, applicationId }
  assert.equal((await send('/reports', access_token)).status, 200)
  await demo.revokeSeat(sub, applicationId)
  try {
    await eventually('/reports is closed', async () => (await send('/reports', access_token)).status === 403)
    assert.equal((await send('/me', access_token)).status, 200)
  } finally {
    await demo.grantSeat({ ...seat, licenseType: 'pro' })
  }
  await eventually('/reports is open', async () => (await send('/reports', access_token)).status === 200)
}

async function checkFeature({ applicationId, demo, send }) {
  const { sub, tenant_id } = readClaims((await demo.getTokens('max@acme.test')).access_token)
  await demo.grantSeat({ userId: sub, tenantId: tenant_id, applicationId, licenseType: 'free' })
  try {
    const { access_token } = await demo.getTokens('max@acme.test')
    assert.equal(readClaims(access_token).license.type, 'free')
    assert.equal((await send('/reports', access_token)).status, 403)
  } finally {
    await demo.revokeSeat(sub, applicationId)
  }
}

async function checkSignOut({ demo, send }) {
  const { access_token, id_token } = await demo.getTokens('mia@acme.test')
  const other = await demo.getTokens('mia@acme.test')
  assert.equal((await send('/reports', access_token)).status, 200)
  await demo.signOut(id_token)
  await eventually('/reports returns 401', async () => (await send('/reports', access_token)).status === 401)
  assert.equal((await send('/reports', other.access_token)).status, 200)
}

async function checkOutage({ url, demo, send }) {
  const { access_token } = await demo.getTokens('mia@acme.test')
  const fault = { status: 503, paths: ['/api/integration/*'] }
  await changeFaults(url, { method: 'POST', body: JSON.stringify(fault) })
  try {
    assert.equal((await send('/reports', access_token)).status, 503)
    assert.equal((await send('/me', access_token)).status, 200)
  } finally {
    await changeFaults(url, { method: 'DELETE' })
  }
  await eventually('/reports is open', async () => (await send('/reports', access_token)).status === 200)
}

async function changeFaults(url, request) {
  const headers = request.body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}/test/faults`, { headers, ...request })
  assert.ok(response.ok, `The request to /test/faults returned ${response.status}.`)
}

const readClaims = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())

async function eventually(what, check) {
  const deadline = Date.now() + EVENTUALLY_MS
  while (!(await check())) {
    assert.ok(Date.now() < deadline, `Not within ${EVENTUALLY_MS / 1000} seconds: ${what}.`)
    await sleep(100)
  }
}

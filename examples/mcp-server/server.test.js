import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const LATCHKEY = 'node_modules/.bin/latchkey'
const issuer = process.env.LATCHKEY_URL ?? (await startLatchkey())
const url = new URL(await startServer())
await registerServer()
const [mia, max, gus] = ['mia@acme.test', 'max@acme.test', 'gus@globex.test'].map(getToken)

test('a request without a token learns where to sign in', async () => {
  const response = await fetch(url, { method: 'POST' })
  assert.equal(response.status, 401)
  const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate'))
  const metadata = await (await fetch(metadataUrl)).json()
  assert.equal(metadata.resource, url.href)
  assert.deepEqual(metadata.authorization_servers, [issuer])
})

test('a tool answers for the tenant of the token', async () => {
  assert.deepEqual(await callTool(mia, 'list_projects'), { isError: false, text: 'Website\nMobile app' })
  assert.deepEqual(await callTool(gus, 'list_projects'), { isError: false, text: 'Data warehouse' })
})

test('the export needs a license', async () => {
  assert.deepEqual(await callTool(mia, 'export_projects', { format: 'json' }), {
    isError: false,
    text: '["Website","Mobile app"]',
  })
  for (const token of [max, gus]) {
    const text = 'This needs a license with the feature export.'
    assert.deepEqual(await callTool(token, 'export_projects'), { isError: true, text })
  }
})

test('a token that was changed is refused', async () => {
  await assert.rejects(callTool(`${mia.slice(0, -4)}AAAA`, 'list_projects'), /invalid_token/)
})

test('a client signs its user in by itself', async () => {
  const authProvider = createAuthProvider()
  const first = new StreamableHTTPClientTransport(url, { authProvider })
  await assert.rejects(new Client({ name: 'test', version: '1.0.0' }).connect(first), UnauthorizedError)
  await first.finishAuth(await followAsUser('mia@acme.test', authProvider.authorizationUrl))
  const { isError } = await callToolWith(new StreamableHTTPClientTransport(url, { authProvider }), 'export_projects')
  assert.equal(isError, false)
})

/** What a client stores. It found the addresses of Latchkey in the metadata of the server. */
function createAuthProvider() {
  const stored = {}
  return {
    redirectUrl: 'http://localhost:8080/callback',
    clientMetadata: { redirect_uris: ['http://localhost:8080/callback'] },
    clientInformation: () => ({ client_id: 'mcp-client' }),
    tokens: () => stored.tokens,
    saveTokens: (tokens) => Object.assign(stored, { tokens }),
    codeVerifier: () => stored.verifier,
    saveCodeVerifier: (verifier) => Object.assign(stored, { verifier }),
    redirectToAuthorization: (authorizationUrl) => Object.assign(stored, { authorizationUrl }),
    get authorizationUrl() {
      return stored.authorizationUrl
    },
  }
}

/** Follows the authorization URL like the browser of a user, and returns the code. */
async function followAsUser(email, authorizationUrl) {
  assert.equal(authorizationUrl.origin, issuer)
  const login = await fetch(`${issuer}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'latchkey-demo-2026' }),
  })
  const cookie = login.headers.getSetCookie().map((value) => value.split(';')[0])
  const response = await fetch(authorizationUrl, { headers: { cookie: cookie.join('; ') }, redirect: 'manual' })
  return new URL(response.headers.get('location')).searchParams.get('code')
}

const callTool = (token, name, input) =>
  callToolWith(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    name,
    input,
  )

async function callToolWith(transport, name, input = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  try {
    const { content, isError = false } = await client.callTool({ name, arguments: input })
    return { isError, text: content[0].text }
  } finally {
    await client.close()
  }
}

function getToken(user) {
  const target = ['--client', 'mcp-client', '--resource', url.href, '--scope', 'projects:read']
  const args = ['token', '--user', user, ...target, '--url', issuer]
  return JSON.parse(execFileSync(LATCHKEY, args)).access_token
}

/** Starts Latchkey in test mode, with the data of the demo. */
async function startLatchkey() {
  const program = spawn(LATCHKEY, ['demo', '--test', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => program.kill())
  const [line] = await once(createInterface({ input: program.stdout }), 'line')
  return JSON.parse(line).baseUrl
}

async function startServer() {
  const port = String(await findPort())
  const env = { ...process.env, LATCHKEY_URL: issuer, PORT: port }
  const server = spawn('node', ['server.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => server.kill())
  await once(server.stdout, 'data')
  return `http://localhost:${port}/mcp`
}

/** Does what `latchkey apply -f latchkey.yaml` does, for the port of this test. */
async function registerServer() {
  const form = { grant_type: 'client_credentials', client_id: 'demo-ops', client_secret: 'demo-ops-secret' }
  const answer = await fetch(`${issuer}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const authorization = `Bearer ${(await answer.json()).access_token}`
  const call = async (path, body) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${issuer}/api/admin/${path}`, { ...init, headers })
    assert.ok(response.ok, `${path} returned ${response.status}`)
    return response.json()
  }
  const { applications } = await call('applications')
  const { id: applicationId } = applications.find(({ slug }) => slug === 'project-manager')
  const scopes = ['projects:read']
  await call('resources', { applicationId, uri: url.href, name: 'Projects', scopes })
  const redirectUris = ['http://localhost:8080/callback']
  await call('clients', {
    applicationId,
    clientId: 'mcp-client',
    kind: 'SPA',
    name: 'MCP client',
    redirectUris,
    scopes,
  })
}

async function findPort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

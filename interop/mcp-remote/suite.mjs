// mcp-remote, which connects agents without support for OAuth to a server, calls the MCP server of the demo.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findMissingBrowser } from '../browser.mjs'
import { run as runCommand } from '../commands.mjs'
import { connect } from '../demo-api.mjs'
import { findMissingNpm } from '../npm.mjs'
import { startTestMode } from '../program.mjs'
import { findFreePort, startServer } from '../server-process.mjs'
import { control, withPage } from '../sign-in.mjs'

export const name = 'mcp-remote'

const ROOT = join(import.meta.dirname, '../..')
const VERSION = '0.15.1'
/** Only ends what hangs. */
const TIMEOUT_MS = 120_000

export const findMissing = async () => findMissingBrowser() ?? (await findMissingNpm())

/** An agent with a client id that an administrator gave it. Without these arguments, mcp-remote registers itself. */
const REGISTERED = ['--static-oauth-client-info', JSON.stringify({ client_id: 'demo-agent' })]

export async function run({ folder }) {
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', `mcp-remote@${VERSION}`]
  await runCommand('npm', install, { cwd: folder })
  const latchkey = await startTestMode({ CLIENT_REGISTRATION: 'open' })
  try {
    await testWith(latchkey.url, folder)
  } finally {
    await latchkey.stop()
  }
}

async function testWith(url, folder) {
  const port = await findFreePort()
  const serverUrl = `http://localhost:${port}/mcp`
  await register(url, serverUrl)
  const env = { LATCHKEY_URL: url, PORT: String(port) }
  const server = await startServer('npm', ['run', 'demo:mcp'], { cwd: ROOT, env, url: serverUrl })
  const licensed = { isError: false, text: /Review the offer/ }
  const unlicensed = { isError: true, text: /You have no license with the feature projects/ }
  try {
    await testAgent({ serverUrl, folder, args: REGISTERED, email: 'mia@acme.test' }, licensed)
    await testAgent({ serverUrl, folder, args: REGISTERED, email: 'max@acme.test' }, unlicensed)
    await testAgent({ serverUrl, folder, args: [], email: 'mia@acme.test' }, licensed)
  } finally {
    await server.stop()
  }
}

async function testAgent(options, expected) {
  const agent = startAgent(options)
  try {
    const { isError = false, content } = await agent.callTool('list_tasks')
    assert.equal(isError, expected.isError)
    assert.match(content[0].text, expected.text)
    const how = options.args.length > 0 ? 'with a registered client' : 'after the agent has registered itself'
    console.log(`ok: a tool was called for ${options.email}, ${how}`)
  } finally {
    await agent.stop()
  }
}

/** Does what demo/mcp-server.yaml declares, for the address of this server. */
async function register(url, serverUrl) {
  const { asOperator } = await connect(url)
  const { applications } = await asOperator('GET', '/api/admin/applications')
  const { id: ownerId } = applications.find(({ slug }) => slug === 'project-manager')
  const { id } = await asOperator('POST', '/api/admin/applications', { name: 'Agents', trusted: false })
  const scopes = ['tasks:read', 'offline_access']
  const redirectUris = ['http://localhost/oauth/callback']
  const client = { clientId: 'demo-agent', kind: 'SPA', name: 'Demo agent', redirectUris, scopes }
  await asOperator('POST', '/api/admin/clients', { applicationId: id, ...client })
  const clients = { allowedClients: ['demo-agent'], allowDynamicClients: true }
  const resource = { uri: serverUrl, name: 'Tasks', scopes: ['tasks:read'], ...clients }
  await asOperator('POST', '/api/admin/resources', { applicationId: ownerId, ...resource })
}

/** Starts mcp-remote, which speaks JSON-RPC on its standard input and output. Its user signs in when it asks for it. */
function startAgent({ serverUrl, folder, args, email }) {
  const program = join(folder, 'node_modules/.bin/mcp-remote')
  const child = spawn(program, [serverUrl, ...args, '--auth-timeout', '120'], {
    // No browser of its own. It then prints the address to open.
    env: {
      ...process.env,
      BROWSER: 'false',
      DISPLAY: '',
      MCP_REMOTE_CONFIG_DIR: join(folder, `${email}-${args.length}`),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let messages = ''
  const signedIn = new Promise((resolve, reject) => {
    let isOpen = false
    child.stderr.on('data', (chunk) => {
      messages += chunk
      const [address] = /https?:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(messages) ?? []
      if (address === undefined || isOpen) return
      isOpen = true
      allow(address, email).then(resolve, reject)
    })
  })
  const answers = createInterface({ input: child.stdout })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  async function request(id, method, params) {
    const answer = new Promise((resolve) => {
      answers.on('line', (line) => {
        const message = JSON.parse(line)
        if (message.id === id && message.method === undefined) resolve(message)
      })
    })
    send({ id, method, params })
    const failed = Promise.race([ended, signedIn.then(() => new Promise(() => {}))])
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS)
    const message = await Promise.race([answer, failed])
    clearTimeout(timer)
    assert.ok(message.result, `${method} failed: ${JSON.stringify(message.error)}\n${messages}`)
    return message.result
  }
  return {
    async callTool(tool) {
      const clientInfo = { name: 'test', version: '1.0.0' }
      await request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
      send({ method: 'notifications/initialized' })
      return request(2, 'tools/call', { name: tool, arguments: {} })
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}

async function allow(address, email) {
  await withPage(async (page) => {
    await page.goto(address)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('latchkey-demo-2026')
    await control(page, 'Sign in').click()
    await control(page, 'Allow').click()
    await page.waitForURL(/^http:\/\/localhost:\d+\/oauth\/callback/)
    await page.waitForLoadState()
  })
}

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { chromium } from 'playwright-core'

const LATCHKEY = 'node_modules/.bin/latchkey'
const issuer = process.env.LATCHKEY_URL ?? (await startLatchkey())
const app = await startApp()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
after(() => browser.close())

test('a user with a license signs in, exports and signs out', async () => {
  const page = await signIn('mia@acme.test')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('status').getByText('Website, Mobile app').waitFor()

  await page.reload()
  await page.getByRole('heading', { name: 'Projects of acme' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

test('a user without a license has no export, neither in the page nor in the API', async () => {
  const page = await signIn('max@acme.test')
  await page.getByText('Your license does not include the export.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Export' }).count(), 0)

  const response = await callExport(getToken('max@acme.test'))
  assert.deepEqual([response.status, (await response.json()).error], [403, 'license_required'])
})

test('the API answers for the tenant of the token, and refuses requests without one', async () => {
  const response = await callExport(getToken('mia@acme.test'))
  assert.deepEqual(await response.json(), { projects: ['Website', 'Mobile app'] })
  assert.equal((await callExport(undefined)).status, 401)
})

async function signIn(email) {
  const page = await (await browser.newContext()).newPage()
  await page.goto(app)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('latchkey-demo-2026')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Projects of acme' }).waitFor()
  return page
}

function getToken(user) {
  const args = ['token', '--user', user, '--client', 'demo-spa', '--url', issuer]
  return JSON.parse(execFileSync(LATCHKEY, args)).access_token
}

const callExport = (token) =>
  fetch(`${app}/api/export`, { method: 'POST', headers: token ? { authorization: `Bearer ${token}` } : {} })

/** Starts Latchkey in test mode, with the data of the demo. */
async function startLatchkey() {
  const program = spawn(LATCHKEY, ['demo', '--test', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => program.kill())
  const [line] = await once(createInterface({ input: program.stdout }), 'line')
  return JSON.parse(line).baseUrl
}

/** Registers a client for a free port, and starts the application there. */
async function startApp() {
  const port = String(await findPort())
  const url = `http://localhost:${port}`
  const { applications } = await seed({
    applications: [{ slug: 'project-manager', name: 'Project Manager' }],
    clients: [
      {
        clientId: 'react-test',
        application: 'project-manager',
        kind: 'SPA',
        name: 'React',
        redirectUris: [`${url}/callback`],
        postLogoutRedirectUris: [`${url}/`],
        allowedOrigins: [url],
      },
    ],
  })
  const env = {
    ...process.env,
    LATCHKEY_URL: issuer,
    CLIENT_ID: 'react-test',
    APPLICATION_ID: applications['project-manager'],
    PORT: port,
  }
  execFileSync('npm', ['run', 'build'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const server = spawn('node', ['server.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => server.kill())
  await once(server.stdout, 'data')
  return url
}

async function seed(declaration) {
  const response = await fetch(`${issuer}/test/seed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(declaration),
  })
  assert.equal(response.status, 200, await response.clone().text())
  return response.json()
}

async function findPort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

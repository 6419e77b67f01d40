import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { chromium } from 'playwright-core'

const LATCHKEY = 'node_modules/.bin/latchkey'
const NEXT = 'node_modules/.bin/next'
const issuer = process.env.LATCHKEY_URL ?? (await startLatchkey())
const app = await startApp()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
after(() => browser.close())

test('a user with a license signs in, exports and signs out', async () => {
  const page = await signIn('mia@acme.test')
  assert.equal(await page.getByRole('heading').textContent(), 'Reports of acme')
  const exported = await page.request.get(`${app}/api/export`)
  assert.deepEqual([exported.status(), await exported.json()], [200, { reportsOf: 'acme' }])

  assert.equal(await page.evaluate('document.cookie'), '', 'scripts cannot read the cookie')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  assert.equal((await page.request.get(`${app}/api/export`)).status(), 401)
  await page.goto(`${app}/reports`)
  assert.equal(new URL(page.url()).origin, issuer, 'a new sign-in is needed')
})

test('a user without a license gets no export', async () => {
  const page = await signIn('max@acme.test')
  await page.getByText('Your license does not include the export.').waitFor()
  const response = await page.request.get(`${app}/api/export`)
  assert.deepEqual([response.status(), (await response.json()).error], [403, 'license_required'])
})

test('a response that does not belong to the sign-in of this browser is refused', async () => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${app}/sign-in`)
  const query = new URLSearchParams({ code: 'other', state: 'other', iss: issuer })
  assert.equal((await page.request.get(`${app}/callback?${query}`)).status(), 400)
  assert.equal((await page.request.get(`${app}/api/export`)).status(), 401)
})

test('a program uses an access token', async () => {
  const args = ['token', '--user', 'mia@acme.test', '--client', 'demo-spa', '--url', issuer]
  const { access_token } = JSON.parse(execFileSync(LATCHKEY, args))
  assert.equal((await fetch(`${app}/api/export`)).status, 401)
  const headers = { authorization: `Bearer ${access_token}` }
  assert.equal((await fetch(`${app}/api/export`, { headers })).status, 200)
})

async function signIn(email) {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${app}/reports`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('latchkey-demo-2026')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${app}/reports`)
  return page
}

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
  const [CLIENT_ID, CLIENT_SECRET] = ['nextjs-test', 'a secret of the test']
  const { applications } = await seed({
    applications: [{ slug: 'project-manager', name: 'Project Manager' }],
    clients: [
      {
        clientId: CLIENT_ID,
        secret: CLIENT_SECRET,
        application: 'project-manager',
        kind: 'WEB',
        name: 'Next.js',
        redirectUris: [`${url}/callback`],
        postLogoutRedirectUris: [`${url}/`],
      },
    ],
  })
  const env = {
    ...process.env,
    LATCHKEY_URL: issuer,
    APP_URL: url,
    APPLICATION_ID: applications['project-manager'],
    CLIENT_ID,
    CLIENT_SECRET,
    SESSION_SECRET: 'only for this test, and long enough',
    NEXT_TELEMETRY_DISABLED: '1',
  }
  execFileSync(NEXT, ['build'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const server = spawn(NEXT, ['start', '--hostname', 'localhost', '--port', port], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  after(() => server.kill())
  for await (const line of createInterface({ input: server.stdout })) if (line.includes('Ready')) break
  server.stdout.resume()
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

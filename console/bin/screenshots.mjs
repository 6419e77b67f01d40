#!/usr/bin/env node
// Takes the screenshots in docs/images: starts the demo in a temporary folder, grants some seats and opens the pages in
// Chromium. CHROMIUM_PATH may name the Chromium binary.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { chromium } = createRequire(join(root, 'server/package.json'))('playwright-core')

const IMAGES = join(root, 'docs/images')
const MAX_BYTES = 120_000
const PASSWORD = 'latchkey-demo-2026'
const READY_MESSAGE = 'Latchkey is ready at'
const START_TIMEOUT_MS = 120_000

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The seats to grant in addition to the demo data. */
const GRANTS = { 'adam@acme.test': 'Pro', 'olivia@acme.test': 'Enterprise' }

const log = (line) => process.stdout.write(`${line}\n`)

function findBrowser() {
  const found = [process.env.CHROMIUM_PATH, ...BROWSERS].find((path) => path && existsSync(path))
  if (found) return found
  process.stderr.write(
    'No Chromium found. Install one (apt install chromium), or name yours: CHROMIUM_PATH=/path/to/chrome npm run screenshots\n',
  )
  process.exit(1)
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

/** Starts the demo. */
async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-screenshots-'))
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), LATCHKEY_DATA_DIR: folder }
  // The environment of the shell must not change the demo.
  for (const name of ['DATABASE_URL', 'BASE_URL']) delete env[name]
  const demo = spawn(process.execPath, [join(root, 'server/bin/latchkey.js'), 'demo'], { env })
  const exited = new Promise((resolve) => demo.once('close', resolve))
  const stop = async () => {
    demo.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await waitUntilReady(demo)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://localhost:${port}`, stop }
}

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

/** Signs a user in and opens a page of the console. */
async function openConsole(browser, { url, email, path }) {
  const page = await newPage(browser)
  await page.goto(`${url}/console${path}`)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button[type=submit]')
  await page.locator('#content h1').waitFor()
  return page
}

async function newPage(browser) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    deviceScaleFactor: 1,
    colorScheme: 'light',
    locale: 'en-US',
    reducedMotion: 'reduce',
  })
  return context.newPage()
}

/** Grants seats with the machine client of the tenant. */
async function grantSeats(url) {
  const getToken = async (client) => {
    const form = { grant_type: 'client_credentials', client_id: client, client_secret: `${client}-secret` }
    const { access_token } = await request(`${url}/api/oauth/token`, { body: new URLSearchParams(form) })
    return access_token
  }
  const call = (token, path, body) =>
    request(url + path, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const operator = await getToken('demo-ops')
  const machine = await getToken('demo-machine')
  const { tenants } = await call(operator, '/api/admin/tenants')
  const acme = tenants.find(({ slug }) => slug === 'acme')
  const { subscriptions } = await call(operator, `/api/licensing/tenants/${acme.id}/license-overview`)
  for (const [email, type] of Object.entries(GRANTS)) {
    const { users } = await call(operator, `/api/admin/users?search=${encodeURIComponent(email)}`)
    const { applicationId, licenseTypeId } = subscriptions.find(({ licenseTypeName }) => licenseTypeName === type)
    const grant = { userId: users[0].id, applicationId, licenseTypeId }
    await call(machine, '/api/integration/licenses/grant', grant)
  }
}

/** Sends a request, with POST if it has a body, and throws on an error status. */
async function request(address, options) {
  const response = await fetch(address, { method: options.body ? 'POST' : 'GET', ...options })
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** The authorization URL of the demo application, whose sign-in page has its branding. */
function authorizeUrl(url) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: 'demo-spa',
    redirect_uri: 'http://localhost:8080/callback',
    response_type: 'code',
    scope: 'openid profile email',
    state: 'state',
    nonce: 'nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return `${url}/oauth/authorize?${query}`
}

async function takeScreenshot(page, name) {
  const path = join(IMAGES, `${name}.png`)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
  const { size } = statSync(path)
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MAX_BYTES}.`)
  log(`docs/images/${name}.png  ${Math.ceil(size / 1_000)} kB`)
}

async function takeScreenshots(browser, url) {
  const signIn = await newPage(browser)
  await signIn.goto(authorizeUrl(url))
  await signIn.locator('input[name=email]').waitFor()
  await takeScreenshot(signIn, 'sign-in')

  await grantSeats(url)
  const admin = { url, email: 'adam@acme.test', path: '/t/acme/licenses' }
  const licenses = await openConsole(browser, admin)
  await licenses.getByText('seats in use').first().waitFor()
  await takeScreenshot(licenses, 'licenses')

  const operator = { url, email: 'admin@latchkey.test', path: '/instance' }
  await takeScreenshot(await openConsole(browser, operator), 'instance')
}

const executablePath = findBrowser()
mkdirSync(IMAGES, { recursive: true })
log('Starting the demo …')
const demo = await startDemo()
try {
  // Many containers do not support the Chromium sandbox. Only our own pages are opened.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await takeScreenshots(browser, demo.url)
  } finally {
    await browser.close()
  }
} finally {
  await demo.stop()
}

#!/usr/bin/env node
// Takes the pictures of docs/images: starts the demo on a folder of its own, gives some of its people seats, and looks at
// it with Chromium. Needs nothing but what `npm install` brings and a Chromium, whose place CHROMIUM_PATH may name.
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
const MOST_BYTES = 120_000
const PASSWORD = 'latchkey-demo-2026'
const READY = 'Latchkey is ready at'
const SLOW_MS = 120_000

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Who holds what in the pictures; Mia has hers from the demo. */
const GRANTS = { 'adam@acme.test': 'Pro', 'olivia@acme.test': 'Enterprise' }

const say = (line) => process.stdout.write(`${line}\n`)

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

/** The demo, until `stop`. */
async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-screenshots-'))
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), LATCHKEY_DATA_DIR: folder }
  // The pictures are of the demo, whatever the shell is set up for.
  for (const name of ['DATABASE_URL', 'BASE_URL']) delete env[name]
  const demo = spawn(process.execPath, [join(root, 'server/bin/latchkey.js'), 'demo'], { env })
  const over = new Promise((resolve) => demo.once('close', resolve))
  const stop = async () => {
    demo.kill('SIGTERM')
    await over
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilReady(demo)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://localhost:${port}`, stop }
}

function untilReady(demo) {
  let told = ''
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`The demo ${why}:\n${told}`))
    const timer = setTimeout(() => fail('did not start in time'), SLOW_MS)
    const listen = (chunk) => {
      told += chunk
      if (!told.includes(READY)) return
      clearTimeout(timer)
      resolve()
    }
    demo.stdout.on('data', listen)
    demo.stderr.on('data', listen)
    demo.once('close', () => fail('stopped'))
  })
}

/** Signs somebody in, as far as the console. */
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

/** Gives the demo's people seats, as the machine of their tenant. */
async function handOutSeats(url) {
  const tokenOf = async (client) => {
    const form = { grant_type: 'client_credentials', client_id: client, client_secret: `${client}-secret` }
    const { access_token } = await ask(`${url}/api/oauth/token`, { body: new URLSearchParams(form) })
    return access_token
  }
  const call = (token, path, body) =>
    ask(url + path, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const operator = await tokenOf('demo-ops')
  const machine = await tokenOf('demo-machine')
  const { tenants } = await call(operator, '/api/admin/tenants')
  const acme = tenants.find(({ slug }) => slug === 'acme')
  const { subscriptions } = await call(operator, `/api/licensing/tenants/${acme.id}/license-overview`)
  for (const [email, type] of Object.entries(GRANTS)) {
    const { users } = await call(operator, `/api/admin/users?search=${encodeURIComponent(email)}`)
    const { applicationId, licenseTypeId } = subscriptions.find(
      ({ licenseTypeName }) => licenseTypeName === type,
    )
    const grant = { userId: users[0].id, applicationId, licenseTypeId }
    await call(machine, '/api/integration/licenses/grant', grant)
  }
}

/** A request that must be granted: POST where something is sent. */
async function ask(address, options) {
  const response = await fetch(address, { method: options.body ? 'POST' : 'GET', ...options })
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** The sign-in as an application leads to it, in its colors. */
function authorizeAddress(url) {
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

async function shoot(page, name) {
  const path = join(IMAGES, `${name}.png`)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
  const { size } = statSync(path)
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}.`)
  say(`docs/images/${name}.png  ${Math.ceil(size / 1_000)} kB`)
}

async function takeAll(browser, url) {
  const signIn = await newPage(browser)
  await signIn.goto(authorizeAddress(url))
  await signIn.locator('input[name=email]').waitFor()
  await shoot(signIn, 'sign-in')

  await handOutSeats(url)
  const admin = { url, email: 'adam@acme.test', path: '/t/acme/licenses' }
  const licenses = await openConsole(browser, admin)
  await licenses.getByText('seats in use').first().waitFor()
  await shoot(licenses, 'licenses')

  const operator = { url, email: 'admin@latchkey.test', path: '/instance' }
  await shoot(await openConsole(browser, operator), 'instance')
}

const executablePath = findBrowser()
mkdirSync(IMAGES, { recursive: true })
say('Starting the demo …')
const demo = await startDemo()
try {
  // A sandbox of its own is not to be had in many containers; nothing but our own pages is opened.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await takeAll(browser, demo.url)
  } finally {
    await browser.close()
  }
} finally {
  await demo.stop()
}

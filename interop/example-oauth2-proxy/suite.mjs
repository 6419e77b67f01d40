// Signs in with a browser through oauth2-proxy, to read a static site.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { findMissingBrowser, openBrowser } from '../browser.mjs'
import { findOutput, run as runCommand } from '../commands.mjs'
import { connect } from '../demo-api.mjs'
import { findFreePort, startServer } from '../server-process.mjs'

export const name = 'Example oauth2-proxy'

const EXAMPLE = join(import.meta.dirname, '../../examples/oauth2-proxy')
const MIN_MINOR = 25

export async function findMissing() {
  const missingBrowser = findMissingBrowser()
  if (missingBrowser !== undefined) return missingBrowser
  const [, minor] = /\bgo1\.(\d+)/.exec((await findOutput('go', ['version'])) ?? '') ?? []
  if (minor === undefined || Number(minor) < MIN_MINOR) return `Go 1.${MIN_MINOR} or later is not installed.`
  if ((await findOutput('go', ['mod', 'download'], { cwd: EXAMPLE })) !== undefined) return undefined
  // Modules that differ from go.sum are a failure and not a missing proxy.
  const versions = await findOutput('go', ['list', '-m', '-versions', 'golang.org/x/oauth2'], { cwd: EXAMPLE })
  return versions === undefined ? 'go cannot reach a module proxy.' : undefined
}

export async function run({ url, folder }) {
  // The first build takes minutes.
  await runCommand('go', ['build', '-o', join(folder, 'oauth2-proxy'), 'tool'], { cwd: EXAMPLE })
  const port = await findFreePort()
  const site = `http://localhost:${port}`
  const client = await createClient(url, site)
  let server
  const browser = await openBrowser()
  try {
    server = await startProxy({ url, port, site, client })
    await testSite({ url, site, browser })
  } catch (error) {
    console.error(server?.readOutput())
    throw error
  } finally {
    await browser.close()
    await server?.stop()
    await client.remove()
  }
}

/** The client of the declaration, with the address of this run. */
async function createClient(url, site) {
  const { clients } = parse(readFileSync(join(EXAMPLE, 'latchkey.yaml'), 'utf8'))
  const [{ clientId, redirectUris }] = clients
  const toSite = (uri) => uri.replace('http://localhost:4180', site)
  const demo = await connect(url)
  return demo.createApplication({ name: 'Handbook', clientId, redirectUris: redirectUris.map(toSite) })
}

/** Starts oauth2-proxy as the README says. The variables replace the addresses and the secret of the demo. */
const startProxy = ({ url, port, site, client }) =>
  startServer('go', ['tool', 'oauth2-proxy', '--config', 'oauth2-proxy.cfg'], {
    cwd: EXAMPLE,
    env: {
      OAUTH2_PROXY_COOKIE_SECRET: randomBytes(32).toString('base64url'),
      OAUTH2_PROXY_UPSTREAMS: `file://${EXAMPLE}/site/#/`,
      OAUTH2_PROXY_HTTP_ADDRESS: `127.0.0.1:${port}`,
      OAUTH2_PROXY_OIDC_ISSUER_URL: url,
      OAUTH2_PROXY_CLIENT_SECRET: client.clientSecret,
      OAUTH2_PROXY_REDIRECT_URL: `${site}/oauth2/callback`,
      OAUTH2_PROXY_BACKEND_LOGOUT_URL: `${url}/api/oauth/logout?id_token_hint={id_token}`,
    },
    url: `${site}/ping`,
  })

async function testSite({ url, site, browser }) {
  const employee = await browser.newContext()
  const page = await employee.newPage()
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()

  const { status, headers } = await fetch(site, { redirect: 'manual' })
  const request = new URL(headers.get('location')).searchParams
  assert.equal(status, 302)
  assert.equal(request.get('code_challenge_method'), 'S256')
  assert.ok(request.get('nonce'))
  done('a visitor is sent to Latchkey, with PKCE and a nonce')

  await page.goto(`${site}/travel.html`)
  assert.equal(new URL(page.url()).origin, url)
  await signIn(page, 'mia@acme.test')
  assert.equal(page.url(), `${site}/travel.html`)
  assert.equal(await heading(), 'Travel expenses')
  done('an employee signs in at Latchkey and gets the page that she asked for')

  const cookies = (await employee.cookies(site)).filter(({ name }) => name.startsWith('_oauth2_proxy'))
  assert.ok(cookies.length > 0)
  await employee.clearCookies({ name: /^_oauth2_proxy/ })
  await page.goto(site)
  assert.equal(await heading(), 'Handbook')
  done('when the cookie of the proxy has expired, she need not sign in again')

  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.waitForURL((address) => address.origin === url)
  assert.equal(await heading(), 'Sign in')
  // An address that the browser does not have in its cache.
  await page.goto(`${site}/?signed-out`)
  assert.equal(await heading(), 'Sign in')
  done('after signing out she must sign in again')

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(site)
  const callback = stranger.waitForResponse((response) => new URL(response.url()).pathname === '/oauth2/callback')
  await signIn(stranger, 'gus@globex.test')
  assert.equal((await callback).status(), 403)
  assert.equal((await stranger.content()).includes('Only employees'), false)
  done('a user of another company signs in and is refused')
}

async function signIn(page, email) {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill('latchkey-demo-2026')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((address) => address.pathname !== '/login')
}

const done = (name) => console.log(`ok: ${name}`)

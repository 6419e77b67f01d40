import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { build, defaultClientConditions } from 'vite'
import { expect } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { addMember, admin, PASSWORD, startDemoService } from '../support/world.ts'

const FOLDER = fileURLToPath(new URL('../../../sdk/react/test/page/', import.meta.url))

/** The folders whose dependencies contain the versions of React. */
const REACT_DEPENDENTS = { 18: '../../../sdk/react/package.json', 19: '../../../console/package.json' }

type ReactVersion = keyof typeof REACT_DEPENDENTS

/** The properties of the provider. */
export interface ProviderProps {
  issuer: string
  clientId: string
  applicationId: string
  redirectUri?: string
  scope?: string
  tenant?: string
  restore?: boolean
}

/** An application that uses `@latchkey/react`, on another site than the service. */
export interface ReactApplication {
  origin: string
  /** The properties for the next page that is loaded. */
  props: ProviderProps
  /** Serves the test page, with this version of React. */
  use(version: ReactVersion): Promise<void>
  /** Serves the first example of the README. */
  useReadme(): Promise<void>
  close(): Promise<void>
}

async function startReactApplication(service: TestService): Promise<ReactApplication> {
  const builds = new Map<ReactVersion, Promise<Map<string, string>>>()
  let files = new Map<string, string>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const script = files.get(pathname)
    if (script !== undefined) return response.setHeader('Content-Type', 'text/javascript').end(script)
    // As in every single-page application, all other paths are the same document.
    const props = `<script>globalThis.providerProps = ${JSON.stringify(application.props)}</script>`
    const html = (files.get('/index.html') ?? '').replace('<head>', `<head>${props}`)
    return response.setHeader('Content-Type', 'text/html').end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const application: ReactApplication = {
    origin,
    props: {
      issuer: service.url,
      clientId: 'demo-spa',
      applicationId: await registerOrigin(service, origin),
      redirectUri: `${origin}/callback`,
    },
    async use(version) {
      const built = builds.get(version) ?? buildPage(version)
      builds.set(version, built)
      files = await built
    },
    async useReadme() {
      files = await buildPage(19, readExample(application.props))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return application
}

/** Registers the addresses of the page for demo-spa. Returns the id of its application. */
async function registerOrigin({ url, ctx }: TestService, origin: string): Promise<string> {
  const client = await ctx.db
    .selectFrom('clients')
    .select(['id', 'application_id'])
    .where('client_id', '=', 'demo-spa')
    .executeTakeFirstOrThrow()
  const change = {
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    allowedOrigins: [origin],
  }
  await admin(url, `/api/admin/clients/${client.id}`, change, 'PATCH')
  return client.application_id
}

/** The first example of the README, with the values of this test. */
function readExample({ issuer, applicationId }: ProviderProps): string {
  const readme = readFileSync(new URL('../../../sdk/react/README.md', import.meta.url), 'utf8')
  const [, code = ''] = /```tsx\n([\s\S]*?)```/.exec(readme) ?? []
  return code.replace('http://localhost:3000', issuer).replace('<the id of your application>', applicationId)
}

/** Bundles the page as an application would, from the sources of the packages. `code` replaces its entry point. */
async function buildPage(version: ReactVersion, code?: string): Promise<Map<string, string>> {
  const require = createRequire(new URL(REACT_DEPENDENTS[version], import.meta.url))
  const locate = (name: string) => dirname(require.resolve(`${name}/package.json`))
  const result = await build({
    root: FOLDER,
    configFile: false,
    logLevel: 'error',
    // The development build of React runs effects twice in StrictMode.
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    resolve: {
      conditions: ['latchkey-source', ...defaultClientConditions],
      alias: { react: locate('react'), 'react-dom': locate('react-dom') },
    },
    plugins: [{ name: 'entry', enforce: 'pre', load: (id) => (id.endsWith('/page/main.tsx') ? code : undefined) }],
    build: { write: false, minify: false, modulePreload: { polyfill: false } },
  })
  const [output] = [result].flat()
  if (!output || !('output' in output)) throw new Error('Vite built nothing.')
  return new Map(
    output.output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : String(file.source)]),
  )
}

/** The service, the browser and the application of a test file. */
export interface ReactTest {
  service: TestService
  application: ReactApplication
  /** Opens a tab of a new browser profile. The application has its default properties again, with these changes. */
  openProfile(props?: Partial<ProviderProps>): Promise<ReactTab>
  close(): Promise<void>
}

export async function startReactTest(): Promise<ReactTest> {
  // The page is at 127.0.0.1: another site, for which the cookies of the service are third-party cookies.
  const service = await startDemoService({ host: 'localhost' })
  const browser = await openBrowser()
  const application = await startReactApplication(service)
  const defaults = application.props
  await addMember(service, 'gus@globex.test', 'acme')
  await application.use(19)
  return {
    service,
    application,
    async openProfile(props = {}) {
      for (const context of browser.contexts()) await context.close()
      application.props = { ...defaults, ...props }
      return openTab(await browser.newContext(), application)
    },
    async close() {
      await browser.close()
      await application.close()
      await service.close()
    },
  }
}

interface Facts {
  user?: Record<string, unknown>
  tenant?: { id: string; slug: string; roles: string[] }
  tenants: string[]
  license: { status: string; licenseType?: string; features: string[] }
}

/** A tab with the application. */
export interface ReactTab {
  page: Page
  /** The requests to the service: `authorize`, `token`, `refresh`, `tenants` and `check`. */
  requests: string[]
  /** Everything that the token endpoint has returned to this tab. */
  tokens: string[]
  open(path?: string): Promise<void>
  expectStatus(status: string): Promise<void>
  readFacts(): Promise<Facts>
  readOutput(label: string): Promise<string | null>
  press(name: string): Promise<void>
  /** Fills in the sign-in page of the service. */
  fillIn(email: string): Promise<void>
  /** Opens the application, presses its button and fills in the sign-in page. */
  signIn(email?: string, path?: string): Promise<void>
  /** Runs a function of the page, such as `getAccessToken()`. Returns the name of the error if it throws. */
  run<T = string>(expression: string): Promise<T>
}

export async function openTab(context: BrowserContext, application: ReactApplication): Promise<ReactTab> {
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  const requests: string[] = []
  const tokens: string[] = []
  page.on('request', (request) => {
    const kind = kindOf(request.url(), request.postData() ?? '')
    if (kind !== undefined && request.method() !== 'OPTIONS') requests.push(kind)
  })
  page.on('response', async (response) => {
    if (!response.url().endsWith('/api/oauth/token') || !response.ok()) return
    const { access_token, refresh_token, id_token } = await response.json()
    tokens.push(...[access_token, refresh_token, id_token].filter(Boolean))
  })
  const readOutput = (label: string) => page.getByLabel(label, { exact: true }).textContent()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const open = async (path = '/') => {
    await page.goto(application.origin + path)
  }
  const expectStatus = (status: string) => expect.poll(() => readOutput('Status').catch(() => undefined)).toBe(status)
  const fillIn = async (email: string) => {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await press('Sign in')
  }
  return {
    page,
    requests,
    tokens,
    readOutput,
    press,
    open,
    expectStatus,
    fillIn,
    readFacts: async () => JSON.parse((await readOutput('Facts')) ?? '{}'),
    async signIn(email = 'mia@acme.test', path = '/') {
      await open(path)
      await expectStatus('signedOut')
      await press('Sign in')
      await fillIn(email)
    },
    run: (expression) => page.evaluate(`(async () => ${expression})().catch((error) => error.name)`),
  }
}

function kindOf(url: string, body: string): string | undefined {
  const { pathname, searchParams } = new URL(url)
  if (pathname === '/oauth/authorize') return searchParams.get('prompt') === 'none' ? 'authorize silently' : 'authorize'
  if (pathname === '/api/oauth/token') return body.includes('grant_type=refresh_token') ? 'refresh' : 'exchange'
  if (pathname === '/api/tenants') return 'tenants'
  return pathname === '/api/integration/licenses/check' ? 'check' : undefined
}

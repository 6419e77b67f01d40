import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { startTestMode, type TestMode } from '../support/test-mode.ts'
import { admin, claimsOf } from '../support/world.ts'
import { allowInBrowser, createAgent, type Identity, startMcpServer, unregistered } from './agent.ts'

// Agents that no administrator registered call the MCP server of the demo after they have registered themselves. The
// client is that of the MCP SDK, and Latchkey the real program.

describe.skipIf(!browserPath || !FULL)('an agent that no administrator registered', () => {
  let program: TestMode
  let server: Awaited<ReturnType<typeof startMcpServer>>
  let browser: Browser

  beforeAll(async () => {
    program = await startTestMode([], { CLIENT_REGISTRATION: 'open' })
    server = await startMcpServer(program.url)
    const { applications } = await admin<{ applications: Application[] }>(
      program.url,
      '/api/admin/applications',
      undefined,
      'GET',
    )
    const { id: applicationId } = applications.find(({ slug }) => slug === 'project-manager') ?? {}
    const resource = {
      applicationId,
      name: 'Tasks',
      uri: server.url,
      scopes: ['tasks:read'],
      allowDynamicClients: true,
    }
    await admin(program.url, '/api/admin/resources', resource)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await program?.stop()
  })

  async function connect(identity: Identity) {
    const agent = await createAgent(server.url, identity)
    onTestFinished(() => agent.close())
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    let consent: string | undefined
    await agent.connect(async (url) => {
      consent = await allowInBrowser(page, url, 'mia@acme.test')
    })
    return { agent, consent }
  }

  const expectedClaims = () => ({
    aud: server.url,
    scope: 'tasks:read',
    tenant_id: expect.any(String),
    tenant_slug: 'acme',
    tenant_roles: ['member'],
    license: { type: 'pro', name: 'Pro', features: ['export', 'projects', 'reports'] },
  })

  test('registers itself: the user consents, and its token has tenant, role and license', async () => {
    const { agent, consent } = await connect(unregistered())
    expect(consent).toContain('Test agent')
    expect(claimsOf(agent.accessToken)).toMatchObject({ ...expectedClaims(), client_id: expect.stringMatching(/^lk_/) })
    expect(await agent.callTool('list_tasks')).toMatchObject({ isError: false })
  })
})

interface Application {
  id: string
  slug: string
}

import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../audit/streams/certificates.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { startTestMode, type TestMode } from '../support/test-mode.ts'
import { admin, claimsOf } from '../support/world.ts'
import { allowInBrowser, createAgent, type Identity, startMcpServer, unregistered } from './agent.ts'

// Agents that no administrator registered call the MCP server of the demo: with the document at their client id, or after
// they have registered themselves. The client is that of the MCP SDK, and Latchkey the real program.

describe.skipIf(!browserPath || !FULL)('an agent that no administrator registered', () => {
  let program: TestMode
  let server: Awaited<ReturnType<typeof startMcpServer>>
  let browser: Browser
  let publisher: Awaited<ReturnType<typeof startPublisher>>

  beforeAll(async () => {
    publisher = await startPublisher()
    program = await startTestMode([], {
      CLIENT_DOCUMENTS: 'on',
      CLIENT_REGISTRATION: 'open',
      NODE_EXTRA_CA_CERTS: publisher.certFile,
    })
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
    publisher?.close()
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

  test('is described by its document: the user sees its host, and its token has tenant, role and license', async () => {
    const { agent, consent } = await connect(unregistered({ clientMetadataUrl: publisher.url }))
    expect(consent).toContain('localhost')
    expect(consent).toContain('Tasks')
    expect(claimsOf(agent.accessToken)).toMatchObject({ ...expectedClaims(), client_id: publisher.url })
    expect(await agent.callTool('list_tasks')).toMatchObject({ isError: false })
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

/** Serves the document of an agent with https. */
async function startPublisher() {
  const { cert, key, certFile } = makeCertificate()
  const server = createServer({ cert, key }, (_, response) => {
    const document = {
      client_id: url,
      client_name: 'Editor',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://localhost:${(server.address() as AddressInfo).port}/agent.json`
  return {
    url,
    certFile,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

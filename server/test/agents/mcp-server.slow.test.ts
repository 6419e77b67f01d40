import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../account/people.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { claimsOf, machineToken, signIn, startDemoService } from '../support/world.ts'
import { type Agent, allowInBrowser, createAgent, declareMcpServer, registeredAs, startMcpServer } from './agent.ts'

// The MCP server of the demo, called by the client of the MCP SDK for a user who signs in with a real browser.

const TASKS = 'Review the offer for Initech\nRenew the certificate of shop.acme.test'

describe.skipIf(!browserPath)('an agent that calls the MCP server of the demo', () => {
  let service: TestService
  let server: Awaited<ReturnType<typeof startMcpServer>>
  let browser: Browser

  beforeAll(async () => {
    service = await startDemoService()
    server = await startMcpServer(service.url)
    await declareMcpServer(service, server)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await service?.close()
  })

  /** An agent whose user has signed in and consented, and what the consent page said. */
  async function connectAs(name: string): Promise<{ agent: Agent; consent: string | undefined }> {
    const agent = await createAgent(server.url, registeredAs('demo-agent'))
    onTestFinished(() => agent.close())
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    let consent: string | undefined
    await agent.connect(async (url) => {
      expect(url.origin).toBe(service.url)
      expect(url.searchParams.get('resource')).toBe(server.url)
      consent = await allowInBrowser(page, url, `${name}@acme.test`)
    })
    return { agent, consent }
  }

  /** The next call is refused within a second. The answer of the introspection is reused for a second. */
  async function expectRefusal(agent: Agent, end: () => Promise<unknown>) {
    expect((await agent.callTool('list_tasks')).isError).toBe(false)
    await end()
    const ended = performance.now()
    await expect
      .poll(() => agent.callTool('list_tasks').catch((error: unknown) => error), { interval: 50 })
      .toBeInstanceOf(UnauthorizedError)
    // The second, and the time of the requests on a busy machine.
    expect(performance.now() - ended).toBeLessThan(3_000)
  }

  test('finds Latchkey, gets the consent of the user, and the tools know tenant, role and license', async () => {
    const { agent, consent } = await connectAs('mia')
    expect(consent).toContain('Agents')
    expect(consent).toContain('Tasks')
    expect(consent).toContain('tasks:read')
    const { text } = await agent.callTool('who_am_i')
    const claims = claimsOf(agent.accessToken)
    expect(claims).toMatchObject({ aud: server.url, scope: 'tasks:read', client_id: 'demo-agent' })
    expect(JSON.parse(text)).toEqual({
      userId: claims.sub,
      tenantId: claims.tenant_id,
      tenantSlug: 'acme',
      roles: ['member'],
      license: { type: 'pro', name: 'Pro', features: ['export', 'projects', 'reports'] },
    })
    expect(claims).toMatchObject({ tenant_roles: ['member'], license: JSON.parse(text).license })
    expect(await agent.callTool('list_tasks')).toEqual({ isError: false, text: TASKS })

    await expectRefusal(agent, async () => {
      const cookie = await signIn(service.url, 'mia@acme.test')
      const path = `${service.url}/api/users/me/sessions/${claims.sid}`
      const { status } = await call(path, { method: 'DELETE', headers: { cookie, origin: service.url } })
      expect(status).toBe(200)
    })
  })

  test('is told that its user has no license', async () => {
    const { agent } = await connectAs('max')
    expect(await agent.callTool('list_tasks')).toEqual({
      isError: true,
      text: 'You have no license with the feature projects. Ask an admin of acme for a seat.',
    })
  })

  test.runIf(FULL)('is refused within a second of the withdrawal of the consent', async () => {
    const { agent } = await connectAs('mia')
    await expectRefusal(agent, async () => {
      const headers = { cookie: await signIn(service.url, 'mia@acme.test'), origin: service.url }
      expect((await call(`${service.url}/api/users/me/consents`, { method: 'DELETE', headers })).status).toBe(200)
    })
  })

  test.runIf(FULL)('is refused within a second of the loss of the seat; the next token has no license', async () => {
    const { agent } = await connectAs('mia')
    const { sub: userId, tenant_id: tenantId } = claimsOf(agent.accessToken)
    const { id: applicationId } = await service.ctx.db
      .selectFrom('applications')
      .select('id')
      .where('slug', '=', 'project-manager')
      .executeTakeFirstOrThrow()
    await expectRefusal(agent, async () => {
      const headers = { authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}` }
      const body = { userId, applicationId }
      const response = await call(`${service.url}/api/integration/licenses/revoke`, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
    })
    const { agent: next } = await connectAs('mia')
    expect(claimsOf(next.accessToken)).toMatchObject({ sub: userId, tenant_id: tenantId })
    expect(claimsOf(next.accessToken).license).toBeUndefined()
    expect(await next.callTool('list_tasks')).toMatchObject({ isError: true })
  })
})

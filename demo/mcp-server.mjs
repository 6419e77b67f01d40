#!/usr/bin/env node
// An MCP server for the demo: agents ask it for the tasks of the tenant of their user (docs/agents.md).
// Register it with `npx latchkey apply -f demo/mcp-server.yaml`, and start it with `npm run demo:mcp`.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createLatchkey } from '@latchkey/node'
import { requireScope, serveResourceMetadata } from '@latchkey/node/express'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const SCOPE = 'tasks:read'
/** The feature of a license that the tasks need. */
const FEATURE = 'projects'
/** The tasks of each tenant, by its slug. */
const TASKS = new Map([
  ['acme', ['Review the offer for Initech', 'Renew the certificate of shop.acme.test']],
  ['globex', ['Order new monitors']],
])

/** Starts the server. `url` is the address for agents, and `close` stops it. */
export async function startMcpServer({ issuer, port = 0, clientId, clientSecret }) {
  const server = createServer().listen(port, 'localhost')
  await once(server, 'listening')
  const uri = `http://localhost:${server.address().port}/mcp`
  const latchkey = createLatchkey({
    issuer,
    resource: { uri, scopes: [SCOPE], name: 'Tasks' },
    // Checks every call at Latchkey, so that an agent is refused as soon as the user has signed out.
    introspection: { clientId, clientSecret },
  })
  server.on('request', createApp(latchkey))
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: uri, close }
}

function createApp(latchkey) {
  const app = createMcpExpressApp()
  // An agent that gets a 401 reads there where its user signs in (RFC 9728).
  app.use(serveResourceMetadata(latchkey))
  app.use('/mcp', requireScope(latchkey, SCOPE))
  // Stateless: every request has its own transport, and a token that is verified.
  app.post('/mcp', async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    const tools = createTools(latchkey)
    response.on('close', () => tools.close())
    await tools.connect(transport)
    await transport.handleRequest(request, response, request.body)
  })
  // Without sessions there is no stream to read and no session to end.
  app.all('/mcp', (_request, response) => response.set('allow', 'POST').sendStatus(405))
  return app
}

/** The tools. `authInfo` is the caller that the middleware has verified. */
function createTools(latchkey) {
  const server = new McpServer({ name: 'tasks', version: '1.0.0' })

  server.registerTool(
    'who_am_i',
    { description: 'Says for whom this agent acts: the organization, the role and the license.' },
    ({ authInfo: { userId, tenantId, tenantSlug, roles, license } }) =>
      asText(JSON.stringify({ userId, tenantId, tenantSlug, roles, license: license ?? null }, null, 2)),
  )

  server.registerTool(
    'list_tasks',
    { description: `Lists the tasks of the user's organization. Needs a license with the feature ${FEATURE}.` },
    async ({ authInfo }) => {
      // The tenant comes from the token, never from an argument of the tool.
      const { tenantSlug } = authInfo
      if (tenantSlug === undefined) return refuse('You act for no organization. Sign in as a member of one.')
      if (!(await latchkey.hasFeature(authInfo, FEATURE)))
        return refuse(`You have no license with the feature ${FEATURE}. Ask an admin of ${tenantSlug} for a seat.`)
      return asText((TASKS.get(tenantSlug) ?? []).join('\n') || 'There are no tasks.')
    },
  )

  return server
}

const asText = (text) => ({ content: [{ type: 'text', text }] })
/** The agent gets it as the result of the tool, and can tell its user. */
const refuse = (text) => ({ ...asText(text), isError: true })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { LATCHKEY_URL = 'http://localhost:3000', PORT = '4000' } = process.env
  const { CLIENT_ID = 'demo-web', CLIENT_SECRET = 'demo-web-secret' } = process.env
  const { url } = await startMcpServer({
    issuer: LATCHKEY_URL,
    port: Number(PORT),
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
  })
  console.log(`The MCP server is at ${url}. Connect an agent with the client id demo-agent.`)
}

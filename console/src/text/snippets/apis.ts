import { t } from '../translate.ts'
import { quote, type Snippet, type SnippetValues } from './values.ts'

const API_PORT = '4000'

export function mcpServer({ issuer, clientId, redirectUri }: SnippetValues): Snippet {
  const resource = `http://localhost:${API_PORT}/mcp`
  const server = `import { createLatchkey } from '@latchkey/node'
import { requireAuth, serveResourceMetadata } from '@latchkey/node/express'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'

const latchkey = createLatchkey({
  issuer: ${quote(issuer)},
  resource: { uri: ${quote(resource)} },
})

function createServer({ userId = 'a machine' }) {
  const server = new McpServer({ name: 'example', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Returns the id of the signed-in user' }, () => ({
    content: [{ type: 'text', text: userId }],
  }))
  return server
}

const app = express()
app.use(express.json())
// An MCP client reads there where to sign in (RFC 9728).
app.use(serveResourceMetadata(latchkey))
app.post('/mcp', requireAuth(latchkey), async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  response.on('close', () => transport.close())
  await createServer(request.auth).connect(transport)
  await transport.handleRequest(request, response, request.body)
})
app.listen(${API_PORT})
`
  const settings = { servers: { example: { type: 'http', url: resource, oauth: { clientId } } } }
  return {
    files: [
      { name: 'server.mjs', code: server },
      { name: '.vscode/mcp.json', code: `${JSON.stringify(settings, null, 2)}\n` },
    ],
    run: `npm install express @modelcontextprotocol/sdk @latchkey/node
node server.mjs`,
    next: t(
      'Add {resource} as a resource on the page of the application. Then start the server “example” in VS Code and sign in. VS Code returns to {address}; other MCP clients document theirs.',
      { resource, address: redirectUri || t('its redirect address') },
    ),
  }
}

export function latchkeyNode({ issuer, applicationId }: SnippetValues): Snippet {
  const code = `import { createLatchkey } from '@latchkey/node'
import { requireAuth } from '@latchkey/node/express'
import express from 'express'

const latchkey = createLatchkey({
  issuer: ${quote(issuer)},
  applicationId: ${quote(applicationId)},
})
const app = express()
app.get('/whoami', requireAuth(latchkey), (request, response) => {
  response.json({ client: request.auth.clientId, user: request.auth.userId, tenant: request.auth.tenantSlug })
})
app.listen(${API_PORT})
`
  return {
    files: [{ name: 'server.mjs', code }],
    run: `npm install express @latchkey/node
node server.mjs`,
    next: t('Send an access token of this application to {address}, as “Authorization: Bearer …”.', {
      address: `http://localhost:${API_PORT}/whoami`,
    }),
  }
}

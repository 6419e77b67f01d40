import { createLatchkey } from '@latchkey/node'
import { requireAuth, serveResourceMetadata } from '@latchkey/node/express'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createTools } from './tools.js'

const { LATCHKEY_URL = 'http://localhost:3000', PORT = '4000' } = process.env
const uri = `http://localhost:${PORT}/mcp`
const latchkey = createLatchkey({
  issuer: LATCHKEY_URL,
  resource: { uri, scopes: ['projects:read'], name: 'Projects' },
})
const app = createMcpExpressApp()

// RFC 9728: a client that gets a 401 reads here where to sign in.
app.use(serveResourceMetadata(latchkey))

// Stateless: every request has its own transport, and a token that is verified.
app.post('/mcp', requireAuth(latchkey), async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  const tools = createTools(latchkey)
  response.on('close', () => tools.close())
  await tools.connect(transport)
  await transport.handleRequest(request, response, request.body)
})

// Without sessions there is no stream to read and no session to end.
app.all('/mcp', requireAuth(latchkey), (_request, response) => response.set('allow', 'POST').sendStatus(405))

app.listen(Number(PORT), 'localhost', () => console.log(`The MCP server is at ${uri}`))

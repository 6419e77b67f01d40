import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

/** The projects of each tenant, by the slug of the tenant. */
const PROJECTS = new Map([
  ['acme', ['Website', 'Mobile app']],
  ['globex', ['Data warehouse']],
])

/** The tools. `authInfo` is the caller that `requireAuth` has verified. */
export function createTools(latchkey) {
  const server = new McpServer({ name: 'projects', version: '1.0.0' })

  server.registerTool(
    'list_projects',
    { description: 'Lists the projects of your organization.' },
    async ({ authInfo }) => asText(projectsOf(authInfo).join('\n')),
  )

  server.registerTool(
    'export_projects',
    {
      description: 'Exports the projects of your organization. Needs a license with the feature export.',
      inputSchema: { format: z.enum(['csv', 'json']).default('csv') },
    },
    async ({ format }, { authInfo }) => {
      // Its error becomes the result of the tool, so that the model can tell the user why.
      await latchkey.requireLicense(authInfo, 'export')
      const projects = projectsOf(authInfo)
      return asText(format === 'json' ? JSON.stringify(projects) : ['name', ...projects].join('\n'))
    },
  )

  return server
}

/** The tenant comes from the token, never from an argument of the tool. */
const projectsOf = ({ tenantSlug }) => PROJECTS.get(tenantSlug) ?? []

const asText = (text) => ({ content: [{ type: 'text', text }] })

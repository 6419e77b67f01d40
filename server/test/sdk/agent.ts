import type { TestService } from '../support/service.ts'
import { admin, authorize, CALLBACK, exchange } from '../support/world.ts'

/** An API that is registered as a resource, and a client that may request tokens for it. */
export const RESOURCE_URI = 'https://api.example.com/mcp'
const SCOPES = ['tasks:read', 'tasks:write']

/** Registers both in the application of the demo, and returns the id of the application. */
export async function registerAgent({ url, ctx }: TestService): Promise<string> {
  const { id: applicationId } = await ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  await admin(url, '/api/admin/resources', { applicationId, name: 'Tasks', uri: RESOURCE_URI, scopes: SCOPES })
  const client = { clientId: 'agent', kind: 'SPA', name: 'Agent', redirectUris: [CALLBACK], scopes: SCOPES }
  await admin(url, '/api/admin/clients', { applicationId, ...client })
  return applicationId
}

/** An access token for the resource. */
export async function obtainAgentToken(url: string, cookie: string): Promise<string> {
  const { answer } = await authorize(url, cookie, { client_id: 'agent', scope: 'tasks:read', resource: RESOURCE_URI })
  const { status, body } = await exchange(url, answer.code, { client_id: 'agent' })
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify({ answer, body })}`)
  return body.access_token
}

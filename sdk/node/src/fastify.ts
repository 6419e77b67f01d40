import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import type { Latchkey } from './latchkey.ts'
import { createMetadataFinder, METADATA_HEADERS } from './resource-metadata.ts'
import { verifyOnce } from './verified-requests.ts'

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireAuth` and the other guards. They do not read it. */
    auth?: Auth
  }
}

/**
 * An `onRequest` hook that verifies the access token and sets `request.auth`.
 *
 * @example
 * app.get('/me', { onRequest: requireAuth(latchkey) }, (request) => ({ id: request.auth?.userId }))
 */
export const requireAuth = (latchkey: Latchkey): Hook =>
  guard(async (request) => {
    await authOf(latchkey, request)
  })

/**
 * A hook that also requires one of the roles in the tenant.
 *
 * @example
 * app.get('/settings', { onRequest: requireRole(latchkey, 'owner', 'admin') }, showSettings)
 */
export const requireRole = (latchkey: Latchkey, ...roles: string[]): Hook =>
  guard(async (request) => latchkey.requireRole(await authOf(latchkey, request), ...roles))

/**
 * A hook that also requires a scope.
 *
 * @example
 * app.post('/tasks', { onRequest: requireScope(latchkey, 'tasks:write') }, addTask)
 */
export const requireScope = (latchkey: Latchkey, scope: string): Hook =>
  guard(async (request) => latchkey.requireScope(await authOf(latchkey, request), scope))

/**
 * A hook that also requires a license with the feature.
 *
 * @example
 * app.get('/reports', { onRequest: requireLicense(latchkey, 'reports') }, listReports)
 */
export const requireLicense = (latchkey: Latchkey, feature: string): Hook =>
  guard(async (request) => latchkey.requireLicense(await authOf(latchkey, request), feature))

/**
 * A hook that publishes the metadata of the resource (RFC 9728), so that clients find Latchkey.
 *
 * @example
 * app.addHook('onRequest', serveResourceMetadata(latchkey))
 */
export function serveResourceMetadata(latchkey: Latchkey): Hook {
  const find = createMetadataFinder(latchkey)
  return async (request, reply) => {
    const metadata = request.method === 'GET' ? find(request.url) : undefined
    return metadata && reply.headers(METADATA_HEADERS).send(metadata)
  }
}

async function authOf(latchkey: Latchkey, request: FastifyRequest): Promise<Auth> {
  const auth = await verifyOnce(latchkey, request, () => latchkey.authenticate(request.headers.authorization, request))
  request.auth = auth
  return auth
}

const guard =
  (check: (request: FastifyRequest) => Promise<void>): Hook =>
  async (request, reply) => {
    try {
      await check(request)
      return undefined
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      return reply.code(error.status).headers(error.toHeaders()).send(error.toBody())
    }
  }

import type { Request, RequestHandler } from 'express'
import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import type { Latchkey } from './latchkey.ts'
import { createMetadataFinder, METADATA_HEADERS } from './resource-metadata.ts'
import { verifyOnce } from './verified-requests.ts'

/**
 * Middleware that verifies the access token and sets `request.auth`.
 *
 * @example
 * app.get('/me', requireAuth(latchkey), (request, response) => response.json({ id: request.auth.userId }))
 */
export const requireAuth = (latchkey: Latchkey): RequestHandler =>
  guard(async (request) => {
    await authOf(latchkey, request)
  })

/**
 * Middleware that also requires one of the roles in the tenant.
 *
 * @example
 * app.get('/settings', requireRole(latchkey, 'owner', 'admin'), showSettings)
 */
export const requireRole = (latchkey: Latchkey, ...roles: string[]): RequestHandler =>
  guard(async (request) => latchkey.requireRole(await authOf(latchkey, request), ...roles))

/**
 * Middleware that also requires a scope.
 *
 * @example
 * app.post('/tasks', requireScope(latchkey, 'tasks:write'), addTask)
 */
export const requireScope = (latchkey: Latchkey, scope: string): RequestHandler =>
  guard(async (request) => latchkey.requireScope(await authOf(latchkey, request), scope))

/**
 * Middleware that also requires a license with the feature.
 *
 * @example
 * app.get('/reports', requireLicense(latchkey, 'reports'), listReports)
 */
export const requireLicense = (latchkey: Latchkey, feature: string): RequestHandler =>
  guard(async (request) => latchkey.requireLicense(await authOf(latchkey, request), feature))

/**
 * Middleware that publishes the metadata of the resource (RFC 9728), so that clients find Latchkey.
 *
 * @example
 * app.use(serveResourceMetadata(latchkey))
 */
export function serveResourceMetadata(latchkey: Latchkey): RequestHandler {
  const find = createMetadataFinder(latchkey)
  return (request, response, next) => {
    const metadata = request.method === 'GET' ? find(request.originalUrl) : undefined
    if (metadata) response.set(METADATA_HEADERS).json(metadata)
    else next()
  }
}

async function authOf(latchkey: Latchkey, request: Request): Promise<Auth> {
  const auth = await verifyOnce(latchkey, request, () => latchkey.authenticate(request.headers.authorization, request))
  request.auth = auth
  return auth
}

const guard =
  (check: (request: Request) => Promise<void>): RequestHandler =>
  (request, response, next) => {
    check(request).then(
      () => next(),
      (error: unknown) => {
        if (!(error instanceof AuthError)) return next(error)
        response.status(error.status).set(error.toHeaders()).json(error.toBody())
      },
    )
  }

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireAuth` and the other guards. They do not read it. */
      auth?: Auth
    }
  }
}

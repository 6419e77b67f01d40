import type { Context as HonoContext, MiddlewareHandler } from 'hono'
import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import type { Latchkey } from './latchkey.ts'
import { createMetadataFinder, METADATA_HEADERS } from './resource-metadata.ts'
import { verifyOnce } from './verified-requests.ts'

/** The variables of an application that uses this middleware: `new Hono<AuthVariables>()`. */
export interface AuthVariables {
  Variables: { auth: Auth }
}
type Context = HonoContext<AuthVariables>
type Middleware = MiddlewareHandler<AuthVariables>

/**
 * Middleware that verifies the access token and sets the variable `auth`.
 *
 * @example
 * app.get('/me', requireAuth(latchkey), (context) => context.json({ id: context.get('auth').userId }))
 */
export const requireAuth = (latchkey: Latchkey): Middleware =>
  guard(async (context) => {
    await authOf(latchkey, context)
  })

/**
 * Middleware that also requires one of the roles in the tenant.
 *
 * @example
 * app.get('/settings', requireRole(latchkey, 'owner', 'admin'), showSettings)
 */
export const requireRole = (latchkey: Latchkey, ...roles: string[]): Middleware =>
  guard(async (context) => latchkey.requireRole(await authOf(latchkey, context), ...roles))

/**
 * Middleware that also requires a scope.
 *
 * @example
 * app.post('/tasks', requireScope(latchkey, 'tasks:write'), addTask)
 */
export const requireScope = (latchkey: Latchkey, scope: string): Middleware =>
  guard(async (context) => latchkey.requireScope(await authOf(latchkey, context), scope))

/**
 * Middleware that also requires a license with the feature.
 *
 * @example
 * app.get('/reports', requireLicense(latchkey, 'reports'), listReports)
 */
export const requireLicense = (latchkey: Latchkey, feature: string): Middleware =>
  guard(async (context) => latchkey.requireLicense(await authOf(latchkey, context), feature))

/**
 * Middleware that publishes the metadata of the resource (RFC 9728), so that clients find Latchkey.
 *
 * @example
 * app.use(serveResourceMetadata(latchkey))
 */
export function serveResourceMetadata(latchkey: Latchkey): MiddlewareHandler {
  const find = createMetadataFinder(latchkey)
  return async ({ req }, next) => {
    const metadata = req.method === 'GET' ? find(req.path) : undefined
    return metadata ? Response.json(metadata, { headers: METADATA_HEADERS }) : next()
  }
}

async function authOf(latchkey: Latchkey, context: Context): Promise<Auth> {
  const auth = await verifyOnce(latchkey, context, () =>
    latchkey.authenticate(context.req.header('authorization'), context.req.raw),
  )
  context.set('auth', auth)
  return auth
}

const guard =
  (check: (context: Context) => Promise<void>): Middleware =>
  async (context, next) => {
    try {
      await check(context)
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      return Response.json(error.toBody(), { status: error.status, headers: error.toHeaders() })
    }
    return next()
  }

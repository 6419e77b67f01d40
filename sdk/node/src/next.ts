import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import type { Latchkey } from './latchkey.ts'
import { createMetadataFinder, METADATA_HEADERS } from './resource-metadata.ts'

export interface Requirement {
  /** One of these roles in the tenant. */
  roles?: string[]
  /** This scope. */
  scope?: string
  /** A license with this feature. */
  feature?: string
}

type Handler<Context> = (request: Request, context: Context & { auth: Auth }) => Response | Promise<Response>

/**
 * Wraps a route handler of Next.js. It runs only for a valid access token that meets the requirement.
 *
 * @example
 * export const GET = withAuth(latchkey, { feature: 'reports' }, (request, { auth }) =>
 *   Response.json({ user: auth.userId }),
 * )
 */
export const withAuth =
  <Context extends object>(latchkey: Latchkey, { roles, scope, feature }: Requirement, handler: Handler<Context>) =>
  async (request: Request, context: Context): Promise<Response> => {
    let auth: Auth
    try {
      auth = await latchkey.authenticate(request.headers.get('authorization'), request)
      if (roles) latchkey.requireRole(auth, ...roles)
      if (scope !== undefined) latchkey.requireScope(auth, scope)
      if (feature !== undefined) await latchkey.requireLicense(auth, feature)
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      return Response.json(error.toBody(), { status: error.status, headers: error.toHeaders() })
    }
    return handler(request, { ...context, auth })
  }

/**
 * For `middleware.ts` of Next.js: undefined if the request has a valid access token, or the response that refuses it.
 *
 * @example
 * export const middleware = (request) => refuseUnauthenticated(latchkey, request)
 */
export async function refuseUnauthenticated(latchkey: Latchkey, request: Request): Promise<Response | undefined> {
  try {
    await latchkey.authenticate(request.headers.get('authorization'), request)
    return undefined
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return Response.json(error.toBody(), { status: error.status, headers: error.toHeaders() })
  }
}

/**
 * A route handler that publishes the metadata of the resource (RFC 9728), so that clients find Latchkey. Its file is
 * `app/.well-known/oauth-protected-resource/[[...path]]/route.js`.
 *
 * @example
 * export const GET = serveResourceMetadata(latchkey)
 */
export function serveResourceMetadata(latchkey: Latchkey): (request: Request) => Response {
  const find = createMetadataFinder(latchkey)
  return (request) => {
    const metadata = find(new URL(request.url).pathname)
    return metadata ? Response.json(metadata, { headers: METADATA_HEADERS }) : new Response(null, { status: 404 })
  }
}

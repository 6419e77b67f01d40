import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import type { Latchkey } from './latchkey.ts'

export interface Requirement {
  /** One of these roles in the tenant. */
  roles?: string[]
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
  <Context extends object>(latchkey: Latchkey, { roles, feature }: Requirement, handler: Handler<Context>) =>
  async (request: Request, context: Context): Promise<Response> => {
    let auth: Auth
    try {
      auth = await latchkey.authenticate(request.headers.get('authorization'))
      if (roles) latchkey.requireRole(auth, ...roles)
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
    await latchkey.authenticate(request.headers.get('authorization'))
    return undefined
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return Response.json(error.toBody(), { status: error.status, headers: error.toHeaders() })
  }
}

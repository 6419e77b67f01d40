import type { JWTPayload } from 'jose'

/** The license of a user for the application, as it was when the token was issued. */
export interface License {
  /** The slug of the license type. */
  type: string
  name: string
  features: string[]
}

/** The verified caller of a request: a user, or a machine client. */
export interface Auth {
  /** The id of the user. Undefined for a machine client. */
  userId: string | undefined
  clientId: string
  tenantId: string | undefined
  tenantSlug: string | undefined
  /** The roles of the user in the tenant: `owner`, `admin` or `member`. */
  roles: string[]
  scopes: string[]
  license: License | undefined
  /** The access token itself. */
  token: string
  /** All claims of the token. */
  claims: JWTPayload
}

/** The claims of an access token as an `Auth`. */
export function toAuth(token: string, claims: JWTPayload): Auth {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : undefined)
  const clientId = text('client_id') ?? ''
  const isMachine = claims.sub === clientId
  return {
    userId: isMachine ? undefined : claims.sub,
    clientId,
    tenantId: text('tenant_id'),
    tenantSlug: text('tenant_slug'),
    roles: Array.isArray(claims.tenant_roles) ? claims.tenant_roles.map(String) : [],
    scopes: (text('scope') ?? '').split(' ').filter(Boolean),
    license: claims.license as License | undefined,
    token,
    claims,
  }
}

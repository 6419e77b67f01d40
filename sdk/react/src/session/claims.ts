/** The signed-in user, as the ID token describes them. */
export interface User {
  id: string
  email: string | undefined
  emailVerified: boolean | undefined
  name: string | undefined
  givenName: string | undefined
  familyName: string | undefined
  picture: string | undefined
}

/** The tenant of the access token, and the roles of the user in it. */
export interface ActiveTenant {
  id: string
  slug: string
  roles: string[]
}

type Claims = Record<string, unknown>

export const toUser = (claims: Claims & { sub: string }): User => ({
  id: claims.sub,
  email: findText(claims.email),
  emailVerified: typeof claims.email_verified === 'boolean' ? claims.email_verified : undefined,
  name: findText(claims.name),
  givenName: findText(claims.given_name),
  familyName: findText(claims.family_name),
  picture: findText(claims.picture),
})

const findText = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim : undefined)

/** Undefined for a token without a tenant. */
export function toTenant({ tenant_id, tenant_slug, tenant_roles }: Claims): ActiveTenant | undefined {
  if (typeof tenant_id !== 'string' || typeof tenant_slug !== 'string') return undefined
  const roles = Array.isArray(tenant_roles) ? tenant_roles.filter((role) => typeof role === 'string') : []
  return { id: tenant_id, slug: tenant_slug, roles }
}

/** Reads the claims of a token without verification, for display only. The service verifies its tokens. */
export function readClaims(token: string): Claims {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

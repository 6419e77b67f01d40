import type { Resource } from '../applications/resources.ts'
import type { RequestedClaims } from '../db/tables.ts'
import { scopeOfClaim } from './user-claims.ts'

/**
 * What a user consents to, as it is stored. The scopes of a resource are stored with its URI, because another resource
 * may have scopes of the same name. A scope never contains a space.
 */
export const consentScopesOf = ({
  resource,
  ...request
}: {
  scopes: string[]
  claims: RequestedClaims
  resource: Pick<Resource, 'uri' | 'scopes'> | undefined
}): string[] => {
  const scopes = shownScopesOf(request)
  if (!resource) return scopes
  const qualify = (scope: string) => (resource.scopes.includes(scope) ? `${resource.uri} ${scope}` : scope)
  return [...scopes.map(qualify), resource.uri]
}

/** The scopes that the consent page shows. A claim that is requested by name is shown as the scope that grants it. */
export const shownScopesOf = ({ scopes, claims }: { scopes: string[]; claims: RequestedClaims }): string[] => [
  ...new Set([...scopes, ...[...claims.userinfo, ...claims.idToken].flatMap((name) => scopeOfClaim(name) ?? [])]),
]

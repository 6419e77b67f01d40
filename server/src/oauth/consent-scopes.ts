import type { Resource } from '../applications/resources.ts'

/**
 * What a user consents to, as it is stored. The scopes of a resource are stored with its URI, because another resource
 * may have scopes of the same name. A scope never contains a space.
 */
export const consentScopesOf = ({
  scopes,
  resource,
}: {
  scopes: string[]
  resource: Pick<Resource, 'uri' | 'scopes'> | undefined
}): string[] => {
  if (!resource) return scopes
  const qualify = (scope: string) => (resource.scopes.includes(scope) ? `${resource.uri} ${scope}` : scope)
  return [...scopes.map(qualify), resource.uri]
}

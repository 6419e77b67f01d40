import type { Latchkey } from './latchkey.ts'

export interface ResourceMetadata {
  resource: string
  authorization_servers: string[]
  bearer_methods_supported: string[]
  scopes_supported?: string[]
  resource_name?: string
}

export interface ResourceOptions {
  /** The URL of the protected API. */
  resource: string
  scopes?: string[]
  name?: string
}

/** Where the metadata of a resource belongs (RFC 9728 §3.1): the path of the resource comes after the well-known path. */
export function locateResourceMetadata(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
}

/**
 * The metadata of a protected API (RFC 9728). Clients find the authorization server by it, for example clients of the
 * Model Context Protocol.
 *
 * @example
 * const resource = 'https://api.example.com/mcp'
 * const { pathname } = new URL(locateResourceMetadata(resource))
 * app.get(pathname, (request, response) => response.json(describeResource(latchkey, { resource })))
 */
export const describeResource = (
  { options: { issuer } }: Latchkey,
  { resource, scopes, name }: ResourceOptions,
): ResourceMetadata => ({
  resource,
  authorization_servers: [issuer],
  bearer_methods_supported: ['header'],
  ...(scopes && { scopes_supported: scopes }),
  ...(name !== undefined && { resource_name: name }),
})

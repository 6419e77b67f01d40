import { PROOF_ALGORITHMS } from './dpop.ts'

/** An API that is registered as a resource at Latchkey. */
export interface ResourceOptions {
  /** The URI under which it is registered. It is the address at which clients call the API. */
  uri: string
  /** The scopes that clients should request. */
  scopes?: string[]
  /** What clients call the API. */
  name?: string
}

/** The options of `createLatchkey` that the metadata states. */
interface MetadataSource {
  options: { issuer: string; resource?: ResourceOptions }
}

/** The metadata of a protected API (RFC 9728 §2). */
export interface ResourceMetadata {
  resource: string
  authorization_servers: string[]
  bearer_methods_supported: string[]
  dpop_signing_alg_values_supported: string[]
  scopes_supported?: string[]
  resource_name?: string
}

/**
 * Where the metadata of a resource belongs (RFC 9728 §3.1): the path of the resource comes after the well-known path.
 *
 * @example
 * locateResourceMetadata('https://api.example.com/mcp')
 * // https://api.example.com/.well-known/oauth-protected-resource/mcp
 */
export function locateResourceMetadata(uri: string): string {
  const { origin, pathname, search } = new URL(uri)
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}${search}`
}

/**
 * The metadata of the resource of `createLatchkey`. Clients find the authorization server by it, for example clients of
 * the Model Context Protocol.
 *
 * @example
 * const latchkey = createLatchkey({ issuer, resource: { uri: 'https://api.example.com/mcp', scopes: ['tasks:read'] } })
 * console.log(describeResource(latchkey))
 */
export function describeResource({ options: { issuer, resource } }: MetadataSource): ResourceMetadata {
  if (!resource) throw new TypeError('There is no resource. Set it in the options of createLatchkey.')
  const { uri, scopes, name } = resource
  return {
    resource: uri,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
    ...(scopes && { scopes_supported: scopes }),
    ...(name !== undefined && { resource_name: name }),
  }
}

/** Pages of every origin may read the metadata: it is public, and MCP clients can be pages. */
export const METADATA_HEADERS = { 'access-control-allow-origin': '*' }

/**
 * Returns a function that finds the metadata for the path of a request, if it belongs there. The modules for frameworks
 * have `serveResourceMetadata`, which also sends it.
 *
 * @example
 * const findMetadata = createMetadataFinder(latchkey)
 * http.createServer((request, response) => {
 *   const metadata = findMetadata(request.url)
 *   if (metadata) response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
 *   else response.writeHead(404).end()
 * })
 */
export function createMetadataFinder(
  latchkey: MetadataSource,
): (path: string | undefined) => ResourceMetadata | undefined {
  const metadata = describeResource(latchkey)
  const { pathname } = new URL(locateResourceMetadata(metadata.resource))
  return (path) => (path?.split('?')[0] === pathname ? metadata : undefined)
}

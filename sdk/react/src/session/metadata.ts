import * as oauth from 'oauth4webapi'
import { AuthError } from '../auth-error.ts'
import { parseUrl } from './return-url.ts'
import { toAuthError } from './to-auth-error.ts'

export interface ClientOptions {
  issuer: string
  clientId: string
  redirectUri: string
}

/** Reads the metadata of the service once. A failed attempt is not kept. */
export function createMetadataReader(
  options: ClientOptions,
  httpOptions: () => oauth.DiscoveryRequestOptions,
): () => Promise<oauth.AuthorizationServer> {
  let metadata: Promise<oauth.AuthorizationServer> | undefined
  const load = async () => {
    const { issuer, clientId } = options
    try {
      checkOptions(options)
      const url = new URL(issuer)
      return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, httpOptions()))
    } catch (error) {
      metadata = undefined
      throw toAuthError(error, { issuer, clientId, origin: location.origin, request: 'metadata' })
    }
  }
  return () => {
    metadata ??= load()
    return metadata
  }
}

/** Finds mistakes that would otherwise show as a page that never comes back. */
function checkOptions({ issuer, clientId, redirectUri }: ClientOptions): void {
  const refuse = (message: string, advice: string) => {
    throw new AuthError('ConfigurationError', message, { advice })
  }
  if (!parseUrl(issuer)) refuse('issuer is not a URL.', 'Set issuer to the BASE_URL of Latchkey.')
  if (!issuer.startsWith('https:') && !isLoopback(issuer)) {
    refuse('issuer does not use https.', 'Only a service on localhost may use http.')
  }
  if (!clientId) refuse('clientId is empty.', 'Set clientId to the id of a client of the kind SPA.')
  if (parseUrl(redirectUri)?.origin !== location.origin) {
    refuse(
      `redirectUri is not a URL of ${location.origin}.`,
      'Set redirectUri to a URL of this page, and register it for the client, character by character.',
    )
  }
}

export function isLoopback(issuer: string): boolean {
  const { hostname } = new URL(issuer)
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')
}

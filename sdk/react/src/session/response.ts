const PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

interface Expected {
  redirectUri: string
  issuer: string
  /** The state of the sign-in in progress. */
  state: string | undefined
}

/** What the URL of the page says about a sign-in. */
export type UrlResponse =
  /** The response to the sign-in in progress. */
  | { kind: 'response'; parameters: URLSearchParams }
  /** A response that was used already, or that was meant for another tab. */
  | { kind: 'stale'; cleanUrl: string }
  | { kind: 'none' }

/**
 * Finds the authorization response in the URL of the page. `state` decides whether it belongs to the sign-in in
 * progress. Another response of this issuer is not used, so that nobody can sign a user in by a link (login CSRF).
 */
export function findResponse(pageUrl: string, { redirectUri, issuer, state }: Expected): UrlResponse {
  const url = new URL(pageUrl)
  const redirect = new URL(redirectUri)
  const { searchParams } = url
  const isResponse = searchParams.has('state') && (searchParams.has('code') || searchParams.has('error'))
  if (!isResponse || url.origin !== redirect.origin || url.pathname !== redirect.pathname) return { kind: 'none' }
  if (state !== undefined && searchParams.get('state') === state) {
    return { kind: 'response', parameters: new URLSearchParams(searchParams) }
  }
  // The response of another provider, for which the application has code of its own.
  if (searchParams.get('iss') !== issuer) return { kind: 'none' }
  for (const name of PARAMETERS) searchParams.delete(name)
  return { kind: 'stale', cleanUrl: url.href }
}

import { withRetry } from '@latchkey/client/retry'
import * as oauth from 'oauth4webapi'
import { AuthError } from '../auth-error.ts'
import { type ActiveTenant, readClaims, toTenant, toUser, type User } from './claims.ts'
import type { Attempt } from './storage.ts'
import { toAuthError } from './to-auth-error.ts'

/** The tokens of the signed-in user. They are only in the memory of this page. */
export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string
  /** When the access token expires, by the clock of this device. */
  expiresAt: number
  user: User
  tenant: ActiveTenant | undefined
  /** The browser session at the service (`sid`), which several tabs share. */
  sessionId: string | undefined
}

export interface ProtocolOptions {
  issuer: string
  clientId: string
  redirectUri: string
  scope: string
}

type AuthorizationParameters = Partial<Record<'prompt' | 'tenant' | 'login_hint', string | undefined>>

/** OpenID Connect with PKCE (RFC 7636), as a public client. */
export interface Protocol {
  createAttempt(fields: Pick<Attempt, 'returnUrl' | 'tenant'>): Attempt
  createAuthorizationUrl(attempt: Attempt, parameters: AuthorizationParameters): Promise<string>
  exchangeCode(response: URLSearchParams, attempt: Attempt): Promise<Tokens>
  /** Renews the tokens, for another tenant if one is given. Uses up the refresh token. */
  refresh(tokens: Tokens, refreshToken: string, tenant: string | undefined): Promise<Tokens>
  /** Ends the session of the ID token. Returns the URL where the browser must go next. */
  endSession(idToken: string | undefined, returnUrl: string): Promise<string>
}

const TIMEOUT_MS = 15_000
/** The clock of the device may differ this much from the clock of the service. */
const CLOCK_TOLERANCE_SECONDS = 300

export function createProtocol(options: ProtocolOptions): Protocol {
  const { clientId, redirectUri, scope } = options
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const httpOptions = () => ({
    [oauth.customFetch]: withRetry() as typeof fetch,
    [oauth.allowInsecureRequests]: isLoopback(new URL(options.issuer)),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const getMetadata = cacheMetadata(options, httpOptions)

  return {
    createAttempt: (fields) => ({
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
      ...fields,
    }),
    async createAuthorizationUrl(attempt, parameters) {
      const { authorization_endpoint = '' } = await getMetadata()
      const url = new URL(authorization_endpoint)
      const fields = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...parameters,
      }
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value)
      return url.href
    },
    async exchangeCode(response, { state, nonce, verifier }) {
      const server = await getMetadata()
      // Also checks `iss` (RFC 9207), so that the response of another provider is refused.
      const parameters = oauth.validateAuthResponse(server, client, response, state)
      const grant = [server, client, oauth.None(), parameters, redirectUri, verifier] as const
      const reply = await oauth.authorizationCodeGrantRequest(...grant, httpOptions())
      const expected = { expectedNonce: nonce, requireIdToken: true }
      return toTokens(await oauth.processAuthorizationCodeResponse(server, client, reply, expected))
    },
    async refresh(tokens, refreshToken, tenant) {
      const server = await getMetadata()
      const reply = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, {
        ...httpOptions(),
        ...(tenant !== undefined && { additionalParameters: { tenant } }),
      })
      return toTokens(await oauth.processRefreshTokenResponse(server, client, reply), tokens)
    },
    async endSession(idToken, returnUrl) {
      const { end_session_endpoint = '' } = await getMetadata()
      // The hint is sent in the body of a request of its own, and not in the URL of the page that the browser goes to:
      // URLs are kept in the history. The response cannot be read, and need not be. If the request fails, the service
      // asks the user whether to sign out.
      if (idToken !== undefined) {
        const body = new URLSearchParams({ id_token_hint: idToken, client_id: clientId })
        const request: RequestInit = { method: 'POST', mode: 'no-cors', credentials: 'omit', body }
        await fetch(end_session_endpoint, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {})
      }
      const url = new URL(end_session_endpoint)
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('post_logout_redirect_uri', returnUrl)
      return url.href
    },
  }
}

type HttpOptions = { [oauth.allowInsecureRequests]: boolean; signal: AbortSignal }

/** Reads the metadata of the service once. A failed attempt is not kept. */
function cacheMetadata(
  options: ProtocolOptions,
  httpOptions: () => HttpOptions,
): () => Promise<oauth.AuthorizationServer> {
  let metadata: Promise<oauth.AuthorizationServer> | undefined
  const load = async () => {
    const { issuer, clientId } = options
    try {
      const url = new URL(issuer)
      return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, httpOptions()))
    } catch (error) {
      metadata = undefined
      throw toAuthError(error, { issuer, clientId, origin: location.origin, request: 'metadata' })
    }
  }
  return () => {
    checkOptions(options)
    metadata ??= load()
    return metadata
  }
}

/** Finds mistakes that would otherwise show as a page that never comes back. */
function checkOptions({ issuer, clientId, redirectUri }: ProtocolOptions): void {
  const refuse = (message: string, advice: string) => {
    throw new AuthError('ConfigurationError', message, { advice })
  }
  if (!URL.canParse(issuer)) refuse('issuer is not a URL.', 'Set issuer to the BASE_URL of Latchkey.')
  const { protocol } = new URL(issuer)
  if (protocol !== 'https:' && !isLoopback(new URL(issuer))) {
    refuse('issuer does not use https.', 'Only a service on localhost may use http.')
  }
  if (!clientId) refuse('clientId is empty.', 'Set clientId to the id of a client of the kind SPA.')
  if (!URL.canParse(redirectUri) || new URL(redirectUri).origin !== location.origin) {
    refuse(
      `redirectUri is not a URL of ${location.origin}.`,
      'Set redirectUri to a URL of this page, and register it for the client, character by character.',
    )
  }
}

const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')

function toTokens(reply: oauth.TokenEndpointResponse, previous?: Tokens): Tokens {
  const claims = oauth.getValidatedIdTokenClaims(reply)
  // OpenID Connect Core §12.2: a renewed ID token is for the same user.
  if (previous && claims && claims.sub !== previous.user.id) throw new Error('the renewed token is for another user')
  const user = claims ? toUser(claims) : previous?.user
  const idToken = reply.id_token ?? previous?.idToken
  if (!user || idToken === undefined) throw new Error('the service returned no ID token: scope must contain openid')
  return {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token,
    idToken,
    expiresAt: Date.now() + (reply.expires_in ?? 0) * 1_000,
    user,
    tenant: toTenant(readClaims(reply.access_token)),
    sessionId: typeof claims?.sid === 'string' ? claims.sid : previous?.sessionId,
  }
}

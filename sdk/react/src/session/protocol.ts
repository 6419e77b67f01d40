import { withRetry } from '@latchkey/client/retry'
import * as oauth from 'oauth4webapi'
import { type ClientOptions, createMetadataReader, isLoopback } from './metadata.ts'
import type { Attempt } from './storage.ts'
import { type Tokens, toTokens } from './tokens.ts'

export interface ProtocolOptions extends ClientOptions {
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
    [oauth.allowInsecureRequests]: isLoopback(options.issuer),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const getMetadata = createMetadataReader(options, httpOptions)

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

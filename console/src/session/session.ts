import * as oauth from 'oauth4webapi'

/**
 * The console signs in as a public OpenID Connect client with PKCE (RFC 7636). Tokens stay in the memory of this tab.
 * After a reload, `prompt=none` gets new ones as long as the session cookie is valid.
 */

const ORIGIN = window.location.origin
const CLIENT: oauth.Client = { client_id: 'latchkey-console' }
const REDIRECT_URI = `${ORIGIN}/console/callback`
const SCOPE = 'openid profile email offline_access'
/** Tokens are renewed this long before they expire, or after half of a shorter lifetime, as at the end of support access. */
const RENEW_BEFORE_MS = 30_000
/** The sessionStorage key for the parameters of a sign-in in progress. Tokens are never stored. */
const ATTEMPT_KEY = 'latchkey.sign-in'
const HTTP_OPTIONS = { [oauth.allowInsecureRequests]: ORIGIN.startsWith('http:') }

interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string | undefined
  renewAt: number
  /** The tenant the token is for. */
  tenant: string | undefined
}

interface Attempt {
  state: string
  nonce: string
  verifier: string
  /** The path to return to after the sign-in. */
  returnTo: string
  tenant: string | undefined
}

type AuthorizationParameters = Pick<Attempt, 'state' | 'nonce' | 'verifier'>

let tokens: Tokens | undefined
/** The user this page was loaded for. */
let currentUserId: string | undefined
let renewal: Promise<Tokens> | undefined

/**
 * What the console needs of the provider metadata. The service publishes it as well, but reading it would delay every
 * visit by a request. ID tokens of another issuer are refused.
 */
const SERVER: oauth.AuthorizationServer = {
  issuer: ORIGIN,
  token_endpoint: `${ORIGIN}/api/oauth/token`,
  authorization_response_iss_parameter_supported: true,
}

/** Gets tokens with `prompt=none`. Returns false if the user must sign in. */
export async function restoreSession(tenant?: string): Promise<boolean> {
  const { url, attempt } = await createAuthorizationRequest({
    prompt: 'none',
    ...(tenant !== undefined && { tenant }),
  })
  // fetch follows the redirect to the callback, and the code is in the final URL.
  const response = await fetch(url, { credentials: 'same-origin', headers: { accept: 'text/html' } })
  const callback = new URL(response.url)
  await response.body?.cancel()
  if (callback.pathname !== '/console/callback') return false
  try {
    tokens = await exchangeCode(callback.searchParams, attempt)
    return true
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) return false
    throw error
  }
}

interface SignInOptions {
  tenant?: string | undefined
  /** True to sign in again even with a valid session (`prompt=login`). */
  forceLogin?: boolean
  /** The email address to prefill (`login_hint`). */
  loginHint?: string
}

/** Redirects to the sign-in page, which returns to `returnTo`. Never resolves. */
export async function signIn(
  returnTo: string,
  { tenant, forceLogin = false, loginHint }: SignInOptions = {},
): Promise<never> {
  const { url, attempt } = await createAuthorizationRequest({
    ...(tenant !== undefined && { tenant }),
    ...(forceLogin && { prompt: 'login' }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
  })
  sessionStorage.setItem(ATTEMPT_KEY, JSON.stringify({ ...attempt, returnTo, tenant } satisfies Attempt))
  window.location.assign(url)
  return new Promise(() => {})
}

/**
 * Exchanges the code of the callback for tokens. Returns the path to return to, or undefined without a sign-in in
 * progress.
 */
export async function completeSignIn(parameters: URLSearchParams): Promise<string | undefined> {
  const stored = sessionStorage.getItem(ATTEMPT_KEY)
  sessionStorage.removeItem(ATTEMPT_KEY)
  if (stored === null) return undefined
  const attempt = JSON.parse(stored) as Attempt
  try {
    tokens = await exchangeCode(parameters, attempt)
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError) || attempt.tenant === undefined) throw error
    // The user has no access to the tenant: sign in without it, and the page shows the error.
    if (!(await restoreSession())) await signIn(attempt.returnTo)
  }
  return attempt.returnTo
}

async function createAuthorizationRequest(
  extra: Record<string, string>,
): Promise<{ url: string; attempt: AuthorizationParameters }> {
  const attempt = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  }
  const url = new URL(`${ORIGIN}/oauth/authorize`)
  const parameters = {
    client_id: CLIENT.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: SCOPE,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    ...extra,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, attempt }
}

async function exchangeCode(
  parameters: URLSearchParams,
  { state, nonce, verifier }: AuthorizationParameters,
): Promise<Tokens> {
  const callbackParameters = oauth.validateAuthResponse(SERVER, CLIENT, parameters, state)
  const response = await oauth.authorizationCodeGrantRequest(
    SERVER,
    CLIENT,
    oauth.None(),
    callbackParameters,
    REDIRECT_URI,
    verifier,
    HTTP_OPTIONS,
  )
  const reply = await oauth.processAuthorizationCodeResponse(SERVER, CLIENT, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  return toTokens(reply)
}

function toTokens(reply: oauth.TokenEndpointResponse, previous?: Tokens): Tokens | Promise<never> {
  const { tenant_slug, sub } = readClaims(reply.access_token)
  currentUserId ??= sub
  // Another user has signed in with this browser. Input of the first user must not be sent as the second.
  if (sub !== currentUserId) return reload()
  const lifetime = (reply.expires_in ?? 0) * 1_000
  return {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token,
    idToken: reply.id_token ?? previous?.idToken,
    renewAt: Date.now() + Math.max(lifetime - RENEW_BEFORE_MS, lifetime / 2),
    tenant: tenant_slug,
  }
}

/** Reloads the page for the user who is signed in now. Never resolves. */
function reload(): Promise<never> {
  tokens = undefined
  window.location.reload()
  return new Promise(() => {})
}

/** Reads the claims without verification, for display only. The service verifies the token. */
function readClaims(token: string): { tenant_slug?: string; sub?: string; sid?: string } {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** The session has ended, or it gives no access to the tenant. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOut'
  readonly tenant: string | undefined
  constructor(tenant: string | undefined) {
    super()
    this.tenant = tenant
  }
}

/** A valid access token, for `tenant` if given. Renewals do not run in parallel, because refresh tokens are single-use. */
export async function getAccessToken(tenant?: string): Promise<string> {
  const isValid = (candidate: Tokens | undefined): candidate is Tokens =>
    candidate !== undefined && candidate.renewAt > Date.now() && (tenant === undefined || candidate.tenant === tenant)
  while (!isValid(tokens)) {
    if (renewal) await renewal.catch(() => {})
    else {
      renewal = renew(tenant).finally(() => {
        renewal = undefined
      })
      tokens = await renewal
    }
  }
  return tokens.accessToken
}

async function renew(tenant: string | undefined): Promise<Tokens> {
  const targetTenant = tenant ?? tokens?.tenant
  if (tokens?.refreshToken !== undefined) {
    try {
      return await refresh(tokens, tokens.refreshToken, targetTenant)
    } catch (error) {
      if (!(error instanceof oauth.ResponseBodyError)) throw error
    }
  }
  // The grant family may be revoked while the session is still valid. The user may also have lost access to the tenant.
  const isRestored =
    (await restoreSession(targetTenant)) ||
    (tenant === undefined && targetTenant !== undefined && (await restoreSession()))
  if (!isRestored || !tokens || (tenant !== undefined && tokens.tenant !== tenant)) throw new SignedOutError(tenant)
  return tokens
}

async function refresh(previous: Tokens, refreshToken: string, tenant: string | undefined): Promise<Tokens> {
  const response = await oauth.refreshTokenGrantRequest(SERVER, CLIENT, oauth.None(), refreshToken, {
    ...HTTP_OPTIONS,
    ...(tenant !== undefined && { additionalParameters: { tenant } }),
  })
  return toTokens(await oauth.processRefreshTokenResponse(SERVER, CLIENT, response), previous)
}

/** Marks a rejected token as expired, so that the next request renews it. */
export function expireToken(token: string): void {
  if (tokens?.accessToken === token) tokens = { ...tokens, renewAt: 0 }
}

/**
 * Discards a token with its refresh token. The next request gets tokens from the session, which may have a second
 * factor by now.
 */
export function discardTokens(token: string): void {
  if (tokens?.accessToken === token) tokens = { ...tokens, renewAt: 0, refreshToken: undefined }
}

/** Signs out with RP-initiated logout. */
export async function signOut(): Promise<void> {
  const url = new URL(`${ORIGIN}/api/oauth/logout`)
  if (tokens?.idToken !== undefined) url.searchParams.set('id_token_hint', tokens.idToken)
  url.searchParams.set('client_id', CLIENT.client_id)
  url.searchParams.set('post_logout_redirect_uri', `${ORIGIN}/console/`)
  tokens = undefined
  window.location.assign(url.href)
}

import * as oauth from 'oauth4webapi'

/**
 * Who is signed in, by our own OpenID Connect: a public client with PKCE. Tokens live in the memory of this tab and
 * nowhere else. A reload asks for new ones, which takes no page as long as the browser's session lives.
 */

const ORIGIN = window.location.origin
const CLIENT: oauth.Client = { client_id: 'latchkey-console' }
const REDIRECT_URI = `${ORIGIN}/console/callback`
const SCOPE = 'openid profile email offline_access'
/** A token is replaced a little before its end, so that it does not end on the way. */
const SPARE_MS = 30_000
/** What a sign-in that left this page must find when it comes back. No token is ever kept here. */
const ATTEMPT = 'latchkey.sign-in'
const INSECURE = { [oauth.allowInsecureRequests]: ORIGIN.startsWith('http:') }

interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  idToken: string | undefined
  endsAt: number
  /** The tenant the token is for. */
  tenant: string | undefined
}

interface Attempt {
  state: string
  nonce: string
  verifier: string
  /** Where the person was going, and into which tenant. */
  goal: string
  tenant: string | undefined
}

type Proof = Pick<Attempt, 'state' | 'nonce' | 'verifier'>

let tokens: Tokens | undefined
/** Whom this page is of. What it shows and what was typed into it is theirs, until it is loaded anew. */
let person: string | undefined
let renewal: Promise<Tokens> | undefined
let server: Promise<oauth.AuthorizationServer> | undefined

/** The address the service goes by must be the one in the browser; its metadata say where everything is. */
function findServer(): Promise<oauth.AuthorizationServer> {
  server ??= (async () => {
    const issuer = new URL(ORIGIN)
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE))
  })()
  server.catch(() => {
    server = undefined
  })
  return server
}

/** Gets tokens without a page where the browser has a session; false where somebody must sign in first. */
export async function restore(tenant?: string): Promise<boolean> {
  const { url, attempt } = await prepare({ prompt: 'none', ...(tenant !== undefined && { tenant }) })
  // The answer is a redirect to our own address, which the browser follows: the code stands in where it leads.
  const response = await fetch(url, { credentials: 'same-origin', headers: { accept: 'text/html' } })
  const arrived = new URL(response.url)
  // Nobody reads the page itself.
  await response.body?.cancel()
  if (arrived.pathname !== '/console/callback') return false
  try {
    tokens = await redeem(arrived.searchParams, attempt)
    return true
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) return false
    throw error
  }
}

interface SignInWish {
  tenant?: string | undefined
  /** True: also where the browser has a session. */
  again?: boolean
  /** Whose address the sign-in page begins with. */
  hint?: string
}

/** Leaves for the sign-in page, and comes back to where the person was going. Never returns. */
export async function signIn(goal: string, { tenant, again = false, hint }: SignInWish = {}): Promise<never> {
  const { url, attempt } = await prepare({
    ...(tenant !== undefined && { tenant }),
    ...(again && { prompt: 'login' }),
    ...(hint !== undefined && { login_hint: hint }),
  })
  sessionStorage.setItem(ATTEMPT, JSON.stringify({ ...attempt, goal, tenant } satisfies Attempt))
  window.location.assign(url)
  return new Promise(() => {})
}

/** Takes the code that the sign-in page sent; where the person was going. Undefined: there was no such attempt. */
export async function finish(parameters: URLSearchParams): Promise<string | undefined> {
  const kept = sessionStorage.getItem(ATTEMPT)
  sessionStorage.removeItem(ATTEMPT)
  if (kept === null) return undefined
  const attempt = JSON.parse(kept) as Attempt
  try {
    tokens = await redeem(parameters, attempt)
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError) || attempt.tenant === undefined) throw error
    // Whoever may not enter the tenant of the address is signed in all the same, and is told so there.
    if (!(await restore())) await signIn(attempt.goal)
  }
  return attempt.goal
}

async function prepare(extra: Record<string, string>): Promise<{ url: string; attempt: Proof }> {
  const { authorization_endpoint = '' } = await findServer()
  const attempt = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  }
  const url = new URL(authorization_endpoint)
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

async function redeem(parameters: URLSearchParams, { state, nonce, verifier }: Proof): Promise<Tokens> {
  const at = await findServer()
  const answer = oauth.validateAuthResponse(at, CLIENT, parameters, state)
  const response = await oauth.authorizationCodeGrantRequest(
    at,
    CLIENT,
    oauth.None(),
    answer,
    REDIRECT_URI,
    verifier,
    INSECURE,
  )
  const reply = await oauth.processAuthorizationCodeResponse(at, CLIENT, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  return keep(reply)
}

function keep(reply: oauth.TokenEndpointResponse, former?: Tokens): Tokens | Promise<never> {
  const { tenant_slug, sub } = readClaims(reply.access_token)
  person ??= sub
  // Somebody else has signed in in this browser: nothing that was meant for one is done as the other.
  if (sub !== person) return leave()
  return {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token,
    idToken: reply.id_token ?? former?.idToken,
    endsAt: Date.now() + (reply.expires_in ?? 0) * 1_000,
    tenant: tenant_slug,
  }
}

/** Loads the page anew, as whoever is signed in now. Never returns. */
function leave(): Promise<never> {
  tokens = undefined
  window.location.reload()
  return new Promise(() => {})
}

/** What our own token says. Whoever gets it checks it; here it only tells the tenant. */
function readClaims(token: string): { tenant_slug?: string; sub?: string; sid?: string } {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  )
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** Nobody is signed in any more, or not for this tenant: only the sign-in page can tell. */
export class SignedOut extends Error {
  override readonly name = 'SignedOut'
  readonly tenant: string | undefined
  constructor(tenant: string | undefined) {
    super()
    this.tenant = tenant
  }
}

/**
 * A token that lives: for this tenant, where one is named. One renewal at a time, because a refresh token is good for
 * one use.
 */
export async function accessToken(tenant?: string): Promise<string> {
  const isGood = (kept: Tokens | undefined): kept is Tokens =>
    kept !== undefined &&
    kept.endsAt - SPARE_MS > Date.now() &&
    (tenant === undefined || kept.tenant === tenant)
  while (!isGood(tokens)) {
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
  const wanted = tenant ?? tokens?.tenant
  if (tokens?.refreshToken !== undefined) {
    try {
      return await refresh(tokens, tokens.refreshToken, wanted)
    } catch (error) {
      if (!(error instanceof oauth.ResponseBodyError)) throw error
    }
  }
  // The family of tokens is over; the browser's own session may not be. And a tenant may have been closed to the
  // person meanwhile, who has other places to be.
  const isBack =
    (await restore(wanted)) || (tenant === undefined && wanted !== undefined && (await restore()))
  if (!isBack || !tokens || (tenant !== undefined && tokens.tenant !== tenant)) throw new SignedOut(tenant)
  return tokens
}

async function refresh(former: Tokens, refreshToken: string, tenant: string | undefined): Promise<Tokens> {
  const at = await findServer()
  const response = await oauth.refreshTokenGrantRequest(at, CLIENT, oauth.None(), refreshToken, {
    ...INSECURE,
    ...(tenant !== undefined && { additionalParameters: { tenant } }),
  })
  return keep(await oauth.processRefreshTokenResponse(at, CLIENT, response), former)
}

/** A token was refused before its time: the next request gets another, or finds that nobody is signed in. */
export function distrust(token: string): void {
  if (tokens?.accessToken === token) tokens = { ...tokens, endsAt: 0 }
}

/**
 * A token is worth what was shown before it was given. The next request gets one from the browser's session, where a
 * second factor may have been shown since.
 */
export function replaceToken(token: string): void {
  if (tokens?.accessToken === token) tokens = { ...tokens, endsAt: 0, refreshToken: undefined }
}

/** Ends the session in this browser, with everything it opened. Leaves this page. */
export async function signOut(): Promise<void> {
  const { end_session_endpoint = '' } = await findServer()
  const url = new URL(end_session_endpoint)
  if (tokens?.idToken !== undefined) url.searchParams.set('id_token_hint', tokens.idToken)
  url.searchParams.set('client_id', CLIENT.client_id)
  url.searchParams.set('post_logout_redirect_uri', `${ORIGIN}/console/`)
  tokens = undefined
  window.location.assign(url.href)
}

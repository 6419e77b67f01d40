/**
 * The access token for "Try it". It is a variable of this page only. The page is an OAuth client like any other: it gets
 * a token for the session of the browser with the authorization code flow and PKCE (RFC 7636).
 */

const CLIENT_ID = 'latchkey-console'
const REDIRECT_URI = `${window.location.origin}/docs/callback`

let token
const listeners = []

export const findToken = () => token
export const onTokenChange = (listener) => listeners.push(listener)

function setToken(value, description) {
  token = value === '' ? undefined : { value, description }
  for (const listener of listeners) listener()
}

export const forgetToken = () => setToken('', '')
export const pasteToken = (value) => setToken(value, 'pasted')

const toBase64Url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const random = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

/** Without a session, leads to the sign-in page, which returns to the operation. */
export async function getSessionToken(tenant, operation) {
  const attempt = { state: random(), nonce: random(), verifier: random() }
  const url = await createAuthorizationUrl(attempt, tenant)
  // fetch follows the redirect to the callback, and the code is in the final URL.
  const response = await fetch(`${url}&prompt=none`, { headers: { accept: 'text/html' } })
  const answer = new URL(response.url).searchParams
  await response.body?.cancel()
  const error = answer.get('error')
  if (error === 'login_required') return signIn(url, { operation, tenant, state: attempt.state })
  if (error) throw new Error(answer.get('error_description') ?? error)
  if (answer.get('state') !== attempt.state) throw new Error('The service did not give a token. Try again.')
  await exchangeCode(answer.get('code'), attempt, tenant)
}

async function createAuthorizationUrl({ state, nonce, verifier }, tenant) {
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const url = new URL('/oauth/authorize', window.location.origin)
  const parameters = {
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    nonce,
    code_challenge: toBase64Url(challenge),
    code_challenge_method: 'S256',
    ...(tenant !== '' && { tenant }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

async function exchangeCode(code, { verifier }, tenant) {
  const response = await fetch('/api/oauth/token', {
    method: 'POST',
    credentials: 'omit',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      code: code ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }),
  })
  const reply = await response.json()
  if (!response.ok) throw new Error(reply.error_description ?? 'The service did not give a token. Try again.')
  setToken(reply.access_token, tenant === '' ? 'of your session' : `of your session, for ${tenant}`)
}

const RESUME_KEY = 'latchkey.docs.resume'

/** The callback page leads back to the operation. There the session is known, and its code is not needed. */
async function signIn(url, resumed) {
  sessionStorage.setItem(RESUME_KEY, JSON.stringify({ ...resumed, path: window.location.pathname }))
  window.location.assign(url)
  return new Promise(() => {})
}

/**
 * On the callback page: goes back. On the page of the operation, after a sign-in: its id and the tenant, once. Whoever
 * has given up the sign-in comes back without the callback page, and nothing goes on by itself.
 */
export function continueSignIn() {
  const resumed = JSON.parse(sessionStorage.getItem(RESUME_KEY) ?? 'null')
  sessionStorage.removeItem(RESUME_KEY)
  if (resumed === null) return undefined
  if (window.location.pathname !== new URL(REDIRECT_URI).pathname) return resumed.isSignedIn ? resumed : undefined
  const answer = new URLSearchParams(window.location.search)
  if (answer.get('state') !== resumed.state) return undefined
  if (answer.has('code')) sessionStorage.setItem(RESUME_KEY, JSON.stringify({ ...resumed, isSignedIn: true }))
  // Only this page wrote the path, but an address of another site must never be opened.
  if (resumed.path.startsWith('/docs/')) window.location.replace(`${resumed.path}#${resumed.operation}`)
  return undefined
}

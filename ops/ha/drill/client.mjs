// The HTTP client of the drill. It retries as Retry-After demands.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BASE_URL } from '../nodes.mjs'

const PASSWORD = 'latchkey-demo-2026'
const CALLBACK = 'http://localhost:8080/callback'

/** Counts of all responses, and responses that must not occur. */
export const stats = {
  requests: 0,
  statuses: {},
  /** Responses that no fault of the database or a node excuses. */
  unexpectedStatus: [],
  /** Responses with status 503 without Retry-After. */
  withoutRetryAfter: 0,
  /** Requests without a response. */
  noResponse: [],
  lastSuccessAt: Date.now(),
  longestGapMs: 0,
}

/** Restarts the measurement of the longest time without success. */
export function resetGap() {
  stats.longestGapMs = 0
  stats.lastSuccessAt = Date.now()
}

/** The longest time without success, including the current one. */
export const readGap = () => Math.max(stats.longestGapMs, Date.now() - stats.lastSuccessAt)

/** Sends one request through the proxy. `body` is sent as JSON, `form` as a form. */
export async function send(method, path, { headers = {}, body, form } = {}) {
  stats.requests += 1
  const startedAt = Date.now()
  try {
    const response = await fetch(path.startsWith('http') ? path : BASE_URL + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      body: form ? new URLSearchParams(form) : body && JSON.stringify(body),
    })
    const text = await response.text()
    const { status } = response
    stats.statuses[status] = (stats.statuses[status] ?? 0) + 1
    if (status < 400) {
      stats.longestGapMs = Math.max(stats.longestGapMs, Date.now() - stats.lastSuccessAt)
      stats.lastSuccessAt = Date.now()
    }
    const retryAfter = response.headers.get('retry-after')
    if (status === 503 && retryAfter === null) stats.withoutRetryAfter += 1
    if (status >= 500 && status !== 503)
      stats.unexpectedStatus.push(`${status} ${method} ${path}: ${text.slice(0, 200)}`)
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status,
      body: isJson && text ? JSON.parse(text) : {},
      response,
      retryAfterMs: Number(retryAfter ?? 1) * 1_000,
    }
  } catch (error) {
    const reason = error.cause?.code ?? error.name
    stats.noResponse.push(`${reason} ${method} ${path} after ${Date.now() - startedAt} ms`)
    return { status: 0, body: {}, retryAfterMs: 1_000 }
  }
}

/** Sends a request with an Idempotency-Key, and retries on 503 and lost connections. */
export async function sendWithRetries(method, path, options = {}) {
  const headers = { ...options.headers, 'Idempotency-Key': randomBytes(12).toString('hex') }
  let connectionLost = false
  for (let attempts = 1; ; attempts++) {
    const response = await send(method, path, { ...options, headers })
    if (response.status !== 503 && response.status !== 0) return { ...response, attempts, connectionLost }
    // A killed node may have processed the request before the connection was lost.
    if (response.status === 0) connectionLost = true
    await sleep(Math.min(response.retryAfterMs, 5_000))
  }
}

export async function signIn(email) {
  const { status, response } = await sendWithRetries('POST', '/api/auth/login', {
    body: { email, password: PASSWORD },
  })
  if (status !== 200) throw new Error(`${email} could not sign in: ${status}`)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { cookie, origin: BASE_URL }
}

/** Gets tokens for a session with the authorization code flow. */
export async function obtainTokens(session) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: 'demo-spa',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile offline_access',
    state: 's',
    nonce: 'n',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const { response } = await send('GET', `/oauth/authorize?${query}`, { headers: { cookie: session.cookie } })
  const code = new URL(response.headers.get('location')).searchParams.get('code')
  const form = {
    grant_type: 'authorization_code',
    client_id: 'demo-spa',
    redirect_uri: CALLBACK,
    code,
    code_verifier: verifier,
  }
  const { status, body } = await send('POST', '/api/oauth/token', { form })
  if (status !== 200) throw new Error(`no tokens: ${status}`)
  return body
}

export async function authorizeMachine(name) {
  const form = { grant_type: 'client_credentials', client_id: name, client_secret: `${name}-secret` }
  const { body } = await sendWithRetries('POST', '/api/oauth/token', { form })
  return { authorization: `Bearer ${body.access_token}` }
}

// What the clients of the drill do: they ask, and ask again as they are told.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BASE_URL } from '../nodes.mjs'

const PASSWORD = 'latchkey-demo-2026'
const CALLBACK = 'http://localhost:8080/callback'

/** What was answered, and what must never be. */
export const record = {
  requests: 0,
  statuses: {},
  /** Answers that are wrong whatever happens to the database or a node. */
  wrong: [],
  /** 503 without Retry-After. */
  unadvised: 0,
  /** Requests that were not answered at all. */
  unanswered: [],
  lastSuccess: Date.now(),
  longestGap: 0,
}

/** Begins to measure anew how long nothing succeeds. */
export function resetGap() {
  record.longestGap = 0
  record.lastSuccess = Date.now()
}

/** The longest time without a success so far, the current one included. */
export const readGap = () => Math.max(record.longestGap, Date.now() - record.lastSuccess)

/** One request through the proxy. `body` is sent as JSON, `form` as a form. */
export async function ask(method, path, { headers = {}, body, form } = {}) {
  record.requests += 1
  const began = Date.now()
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
    record.statuses[status] = (record.statuses[status] ?? 0) + 1
    if (status < 400) {
      record.longestGap = Math.max(record.longestGap, Date.now() - record.lastSuccess)
      record.lastSuccess = Date.now()
    }
    const wait = response.headers.get('retry-after')
    if (status === 503 && wait === null) record.unadvised += 1
    if (status >= 500 && status !== 503)
      record.wrong.push(`${status} ${method} ${path}: ${text.slice(0, 200)}`)
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status,
      body: isJson && text ? JSON.parse(text) : {},
      response,
      waitMs: Number(wait ?? 1) * 1_000,
    }
  } catch (error) {
    const reason = error.cause?.code ?? error.name
    record.unanswered.push(`${reason} ${method} ${path} after ${Date.now() - began} ms`)
    return { status: 0, body: {}, waitMs: 1_000 }
  }
}

/** Asks until there is an answer: what is unavailable is asked again, with the same key, after the time it said. */
export async function insist(method, path, options = {}) {
  const headers = { ...options.headers, 'Idempotency-Key': randomBytes(12).toString('hex') }
  let isLost = false
  for (let attempts = 1; ; attempts++) {
    const answer = await ask(method, path, { ...options, headers })
    if (answer.status !== 503 && answer.status !== 0) return { ...answer, attempts, isLost }
    // A killed node may have done it: the proxy says 502, or hangs up.
    if (answer.status === 0) isLost = true
    await sleep(Math.min(answer.waitMs, 5_000))
  }
}

export async function signIn(email) {
  const { status, response } = await insist('POST', '/api/auth/login', {
    body: { email, password: PASSWORD },
  })
  if (status !== 200) throw new Error(`${email} could not sign in: ${status}`)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { cookie, origin: BASE_URL }
}

/** From a browser's session to tokens, by an authorization code. */
export async function obtainTokens(session) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: 'demo-spa', redirect_uri: CALLBACK, response_type: 'code' },
    ...{ scope: 'openid profile offline_access', state: 's', nonce: 'n', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const { response } = await ask('GET', `/oauth/authorize?${query}`, { headers: { cookie: session.cookie } })
  const code = new URL(response.headers.get('location')).searchParams.get('code')
  const form = {
    grant_type: 'authorization_code',
    client_id: 'demo-spa',
    redirect_uri: CALLBACK,
    code,
    code_verifier: verifier,
  }
  const { status, body } = await ask('POST', '/api/oauth/token', { form })
  if (status !== 200) throw new Error(`no tokens: ${status}`)
  return body
}

export async function machine(name) {
  const form = { grant_type: 'client_credentials', client_id: name, client_secret: `${name}-secret` }
  const { body } = await insist('POST', '/api/oauth/token', { form })
  return { authorization: `Bearer ${body.access_token}` }
}

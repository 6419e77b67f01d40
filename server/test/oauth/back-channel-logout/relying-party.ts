import { randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { sendLogoutTokens } from '../../../src/oauth/back-channel-logout/dispatch.ts'
import { type ApiResponse, call } from '../../account/people.ts'
import type { TestService } from '../../support/service.ts'
import { admin, authorize, CALLBACK, claimsOf, exchange, machineToken, signIn } from '../../support/world.ts'

/** Receivers run on loopback addresses, which are not public. */
export const ALLOW_LOOPBACK = { webhooks: { allowedNetworks: ['127.0.0.0/8'] } }
export const POST_LOGOUT_URI = 'http://localhost:8080/'

interface ReceivedLogout {
  method: string | undefined
  contentType: string | undefined
  body: string
  token: string
}

/** A client with a back-channel logout address, and the server that receives its logout tokens. */
export interface RelyingParty {
  /** The id of the client in the admin API. */
  id: string
  clientId: string
  applicationId: string
  uri: string
  received: ReceivedLogout[]
  /** The status of its responses; undefined: it never responds. */
  status: number | undefined
  delayMs: number
  /** Its responses have a body that does not end, and that it pauses or sends as fast as it is read. */
  body: 'none' | 'pausing' | 'endless'
  stop(): Promise<void>
  restart(): Promise<void>
}

function respond(response: ServerResponse, body: RelyingParty['body']): void {
  if (body === 'none') response.end()
  if (body === 'pausing') response.write('…')
  if (body === 'endless') Readable.from(endlessly()).pipe(response)
}

function* endlessly() {
  while (true) yield Buffer.alloc(16_384)
}

/** Starts a server and registers a client with its address. */
export async function startRelyingParty(
  { url }: TestService,
  settings: Record<string, unknown> = {},
): Promise<RelyingParty> {
  const received: ReceivedLogout[] = []
  const behavior: Pick<RelyingParty, 'status' | 'delayMs' | 'body'> = { status: 200, delayMs: 0, body: 'none' }
  const newServer = () =>
    createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const token = new URLSearchParams(body).get('logout_token') ?? ''
        received.push({ method: request.method, contentType: request.headers['content-type'], body, token })
        const { status, delayMs } = behavior
        if (status !== undefined) setTimeout(() => respond(response.writeHead(status), behavior.body), delayMs)
      })
    })
  let server = newServer()
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  const uri = `http://127.0.0.1:${port}/logout?of=app`
  const application = await admin<{ id: string }>(url, '/api/admin/applications', { name: `RP ${randomUUID()}` })
  const client = await admin<{ id: string; clientId: string }>(url, '/api/admin/clients', {
    applicationId: application.id,
    kind: 'SPA',
    name: 'RP',
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [POST_LOGOUT_URI],
    backchannelLogoutUri: uri,
    ...settings,
  })
  return Object.assign(behavior, {
    id: client.id,
    clientId: client.clientId,
    applicationId: application.id,
    uri,
    received,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    async restart() {
      server = newServer()
      await listen(server, port)
    },
  })
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

/** Signs a user in and then to the client, from one browser session. */
export async function signInTo(url: string, { clientId }: { clientId: string }, { email, cookie }: SignInOptions = {}) {
  const session = cookie ?? (await signIn(url, email ?? 'mia@acme.test'))
  const { answer } = await authorize(url, session, { client_id: clientId })
  const { status, body: tokens } = await exchange(url, answer.code, { client_id: clientId })
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify({ answer, tokens })}`)
  const { sub, sid } = claimsOf(tokens.id_token) as { sub: string; sid: string }
  return { cookie: session, tokens, sub, sid }
}

interface SignInOptions {
  email?: string
  cookie?: string
}

const never = new AbortController().signal

/** Sends all logout tokens that are due. */
export const sendDue = ({ ctx }: TestService): Promise<void> => sendLogoutTokens(ctx, never)

/** Validates a logout token as a client does (OpenID Connect Back-Channel Logout §2.6). */
export async function validateLogoutToken({ url, ctx }: TestService, token: string, clientId: string) {
  const keys = createRemoteJWKSet(new URL(`${url}/api/oauth/jwks`))
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: url,
    audience: clientId,
    typ: 'logout+jwt',
    requiredClaims: ['iat', 'exp', 'jti', 'sub', 'sid', 'events'],
    currentDate: ctx.now(),
    maxTokenAge: 120,
  })
  expect(payload.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} })
  expect(payload).not.toHaveProperty('nonce')
  expect(Number(payload.exp) - Number(payload.iat)).toBeLessThanOrEqual(120)
  return { payload, algorithm: protectedHeader.alg }
}

export interface Delivery {
  id: string
  status: string
  userId: string
  sessionId: string
  attempts: number
  lastStatus: number | null
  lastError: string | null
  nextAttemptAt: string | null
  createdAt: string
  finishedAt: string | null
}

/** Calls a route of the admin API as the machine client of the operator. */
export async function callAsOps({ url }: TestService, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + path, { method, headers, body }) as Promise<
    Omit<ApiResponse, 'body'> & { body: { deliveries: Delivery[]; next: number | null; error?: string } }
  >
}

export const deliveriesOf = async (service: TestService, { id }: { id: string }, query = ''): Promise<Delivery[]> =>
  (await callAsOps(service, 'GET', `/api/admin/clients/${id}/logouts${query}`)).body.deliveries

/** The sids of the received logout tokens. */
export const receivedSids = ({ received }: RelyingParty): unknown[] => received.map(({ token }) => decodeJwt(token).sid)

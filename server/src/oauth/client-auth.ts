import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Client, findClient, findSecret } from '../applications/clients.ts'
import { recordAuditEvent, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { createLimiter, type Limiter, RATE_LIMIT_REJECTIONS } from '../db/limiter.ts'
import { OAuthError, tooManyAttempts } from '../errors.ts'
import { readAuthorization } from '../http/request/authorization.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import { decodeField } from '../lib/fields.ts'

interface Credentials {
  clientId: string
  secret: string | undefined
  method: 'basic' | 'post' | 'none'
}

/** Public clients authenticate without a secret. */
export interface AuthenticatedClient {
  client: Client
  request: FastifyRequest
  /** The secret that was used. Tokens of machine clients are valid only as long as it exists. */
  secretId: string | undefined
}

type Form = Record<string, string | undefined>

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="latchkey", charset="UTF-8"' }

/** Authenticates the client of a token request by exactly one method (RFC 6749 §2.3). */
export const authenticateClient = (ctx: Ctx, request: FastifyRequest, form: Form): Promise<AuthenticatedClient> =>
  authenticateWith(ctx, request, readCredentials(request, form))

/** Authenticates a client with credentials that were already parsed. */
export async function authenticateWith(
  ctx: Ctx,
  request: FastifyRequest,
  { clientId, secret, method }: Credentials,
): Promise<AuthenticatedClient> {
  const client = await findClient(ctx, clientId)
  if (client?.kind === 'SPA' && secret === undefined && !client.disabled)
    return { client, request, secretId: undefined }
  const match = await checkSecret(ctx, request, { client, secret })
  if (!client || !match) throw invalidClient(method === 'basic', { problem: failureReason(client, secret) })
  if (client.disabled) {
    await recordRefusal(ctx, request, { client, reason: 'disabled' })
    throw invalidClient(method === 'basic', { problem: 'disabled' })
  }
  // Only after the secret was verified, so that a suspension is not disclosed to others.
  if (client.suspension && client.suspension.suspendedAt !== null) {
    throw new OAuthError('unauthorized_client', 'The tenant of this client is suspended.')
  }
  return { client, request, secretId: match.id }
}

/** An unknown client_id counts as one client. */
interface PresentedSecret {
  client: Client | undefined
  secret: string | undefined
}

/**
 * Returns the secret that matches, if any. Wrong secrets are counted; beyond the limit secrets are refused without a
 * check.
 */
export async function checkSecret(
  ctx: Ctx,
  request: FastifyRequest,
  { client, secret }: PresentedSecret,
): Promise<{ id: string } | undefined> {
  // A public client has no secret, so failures must not lock it out.
  if (client?.kind === 'SPA') return undefined
  refuseWhenBlocked(ctx, request, client)
  const match = client && secret !== undefined ? findSecret(client, secret) : undefined
  if (!match) await recordFailure(ctx, request, { client, secret })
  return match
}

async function recordFailure(ctx: Ctx, request: FastifyRequest, { client, secret }: PresentedSecret): Promise<void> {
  await countFailure(ctx, failureKeyOf(client, request))
  await recordRefusal(ctx, request, { client, reason: failureReason(client, secret) })
}

function failureReason(client: Client | undefined, secret: string | undefined): Refusal['reason'] {
  if (!client) return 'unknown_client'
  return secret === undefined ? 'no_secret' : 'wrong_secret'
}

const failureKeyOf = (client: Client | undefined, request: FastifyRequest): string =>
  `${client?.id ?? 'unknown'}:${clientNetwork(request)}`

interface Refusal {
  /** Undefined for an unknown client_id. It may be anything, so it is not stored. */
  client: Client | undefined
  reason: 'no_secret' | 'wrong_secret' | 'unknown_client' | 'disabled'
}

/**
 * Records a refusal, once a minute for each client and network: a misconfigured program retries endlessly. Unknown
 * clients are recorded too, so that the response time does not disclose which clients exist.
 */
async function recordRefusal(ctx: Ctx, request: FastifyRequest, { client, reason }: Refusal): Promise<void> {
  if (!(await failuresOf(ctx).isFirst(failureKeyOf(client, request)))) return
  const names = client && {
    id: client.id,
    clientId: client.clientId,
    applicationId: client.applicationId,
  }
  await recordAuditEvent(ctx, ctx.db, {
    action: 'client.refused',
    actor: SYSTEM,
    request,
    clientId: client?.clientId,
    details: { reason, ...names },
  })
}

/** The same response for every reason, so that nobody can find out which clients exist. */
export const invalidClient = (
  basic: boolean,
  { status = 400, problem }: { status?: number; problem?: string } = {},
): OAuthError =>
  new OAuthError('invalid_client', 'Client authentication failed.', {
    status,
    headers: basic ? BASIC_CHALLENGE : {},
    facts: { problem },
  })

function readCredentials(request: FastifyRequest, form: Form): Credentials {
  const basic = readBasic(request)
  const { client_id, client_secret } = form
  if (!basic) {
    if (client_id === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing.')
    return {
      clientId: client_id,
      secret: client_secret,
      method: client_secret === undefined ? 'none' : 'post',
    }
  }
  if (client_secret !== undefined) {
    throw new OAuthError('invalid_request', 'The client authenticates in two ways at once.')
  }
  if (client_id !== undefined && client_id !== basic.clientId) {
    throw new OAuthError('invalid_request', 'The Authorization header and client_id name different clients.')
  }
  return { ...basic, method: 'basic' }
}

/** The credentials of HTTP Basic, each form-urlencoded (RFC 6749 §2.3.1); undefined without such a header. */
export function readBasic(request: FastifyRequest): { clientId: string; secret: string } | undefined {
  const header = readAuthorization(request)
  if (header === null) throw invalidClient(true)
  // Other schemes are not handled here.
  if (header === undefined || !/^basic(?: |$)/i.test(header)) return undefined
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1]
  if (encoded === undefined) throw invalidClient(true)
  const [id, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  const clientId = decodeField(id ?? '')
  const secret = decodeField(rest.join(':'))
  if (rest.length === 0 || clientId === undefined || secret === undefined) throw invalidClient(true)
  return { clientId, secret }
}

const WINDOW_SECONDS = 60
const LIMITER = 'client'

/** Blocked clients, cached per process, so that a check costs no statement. */
const blockedKeys = new WeakMap<Ctx, LRUCache<string, number>>()

function blockedKeysOf(ctx: Ctx): LRUCache<string, number> {
  const existing = blockedKeys.get(ctx)
  if (existing) return existing
  const created = new LRUCache<string, number>({ maxSize: 10_000, sizeCalculation: () => 1 })
  blockedKeys.set(ctx, created)
  return created
}

function refuseWhenBlocked(ctx: Ctx, request: FastifyRequest, client: Client | undefined): void {
  const blocked = blockedKeysOf(ctx)
  if (blocked.size === 0) return
  const until = blocked.get(failureKeyOf(client, request)) ?? 0
  const seconds = Math.ceil((until - ctx.now().getTime()) / 1000)
  if (seconds <= 0) return
  ctx.metrics.count(RATE_LIMIT_REJECTIONS, { limiter: LIMITER })
  throw tooManyAttempts(seconds)
}

const failuresOf = ({ db, config }: Ctx): Limiter =>
  createLimiter(db, { name: LIMITER, max: config.limits.clientFailures, seconds: WINDOW_SECONDS })

/** Failures count per client and network, so that guesses from elsewhere do not lock the client out. */
async function countFailure(ctx: Ctx, key: string): Promise<void> {
  const wait = await failuresOf(ctx).count(key)
  if (wait !== undefined) blockedKeysOf(ctx).set(key, ctx.now().getTime() + wait * 1000)
}

import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Client } from '../applications/clients.ts'
import { recordAuditEvent, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { createLimiter, type Limiter, RATE_LIMIT_REJECTIONS } from '../db/limiter.ts'
import { OAuthError, tooManyAttempts } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="latchkey", charset="UTF-8"' }

export interface Refusal {
  /** Undefined for an unknown client_id. It may be anything, so it is not stored. */
  client: Client | undefined
  reason: 'no_secret' | 'wrong_secret' | 'wrong_method' | 'wrong_assertion' | 'unknown_client' | 'disabled'
}

/**
 * Records a refusal, once a minute for each client and network: a misconfigured program retries endlessly. Unknown
 * clients are recorded too, so that the response time does not disclose which clients exist.
 */
export async function recordRefusal(ctx: Ctx, request: FastifyRequest, { client, reason }: Refusal): Promise<void> {
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
  { status = 400, ...facts }: { status?: number; problem?: string | undefined; [fact: string]: unknown } = {},
): OAuthError =>
  new OAuthError('invalid_client', 'Client authentication failed.', {
    status,
    headers: basic ? BASIC_CHALLENGE : {},
    facts,
  })

/** Counts a failure, and records it. */
export async function recordFailure(ctx: Ctx, request: FastifyRequest, refusal: Refusal): Promise<void> {
  await countFailure(ctx, failureKeyOf(refusal.client, request))
  await recordRefusal(ctx, request, refusal)
}

const failureKeyOf = (client: Client | undefined, request: FastifyRequest): string =>
  `${client?.id ?? 'unknown'}:${clientNetwork(request)}`

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

/** Beyond the limit of failures, credentials are refused without a check. */
export function refuseWhenBlocked(ctx: Ctx, request: FastifyRequest, client: Client | undefined): void {
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

import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Client, findClient, findSecret } from '../applications/clients.ts'
import { record, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { createLimiter, type Limiter, REFUSALS } from '../db/limiter.ts'
import { OAuthError, tooManyAttempts } from '../errors.ts'
import { readAuthorization } from '../http/authorization.ts'
import { clientNetwork } from '../http/client-address.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { decodeField } from '../lib/fields.ts'
import { type Ground, restOn } from '../lib/grounds.ts'

/** What a client shows of itself: in the header, in the body, or just its name. */
interface Credentials {
  clientId: string
  secret: string | undefined
  method: 'basic' | 'post' | 'none'
}

/** A client that has shown who it is. Public ones have no secret to show. */
export interface AuthenticatedClient {
  client: Client
  /** With which it did. */
  request: FastifyRequest
  /** The secret it used. Tokens of a machine end with it. */
  secretId: string | undefined
}

type Form = Record<string, string | undefined>

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="latchkey", charset="UTF-8"' }

/** Authenticates the client of a token request (RFC 6749 §2.3), in exactly one way. */
export const authenticateClient = (
  ctx: Ctx,
  request: FastifyRequest,
  form: Form,
): Eventual<AuthenticatedClient> => authenticateBy(ctx, request, readCredentials(request, form))

/** The same by what was read of the request before. */
export function authenticateBy(
  ctx: Ctx,
  request: FastifyRequest,
  { clientId, secret, method }: Credentials,
): Eventual<AuthenticatedClient> {
  return whenThere(findClient(ctx, clientId), (client) => {
    if (client?.kind === 'SPA' && secret === undefined && !client.disabled)
      return { client, request, secretId: undefined }
    return whenThere(checkSecret(ctx, request, { client, secret }), (match) => {
      if (!client || !match) throw invalidClient(method === 'basic')
      if (client.disabled) return refuseDisabled(ctx, request, { client, method })
      // Told only to who has shown the secret: it is right, and does not need to be replaced.
      if (client.suspension && client.suspension.suspendedAt !== null) {
        throw new OAuthError('unauthorized_client', 'The tenant of this client is suspended.')
      }
      return { client, request, secretId: match.id }
    })
  })
}

async function refuseDisabled(
  ctx: Ctx,
  request: FastifyRequest,
  { client, method }: { client: Client; method: Credentials['method'] },
): Promise<never> {
  await noteRefusal(ctx, request, { client, reason: 'disabled' })
  throw invalidClient(method === 'basic')
}

/** Who shows what. Whatever is made up as a client is counted as one. */
interface Shown {
  client: Client | undefined
  secret: string | undefined
}

/** Which of the client's secrets was shown, if any. Wrong ones are counted, and too many refused unseen. */
export function checkSecret(
  ctx: Ctx,
  request: FastifyRequest,
  { client, secret }: Shown,
): Eventual<{ id: string } | undefined> {
  // A public client has no secret that could be guessed: nobody's attempts may keep it out.
  if (client?.kind === 'SPA') return undefined
  refuseWhenBlocked(ctx, request, client)
  const match = client && secret !== undefined ? findSecret(client, secret) : undefined
  return match ?? noteFailure(ctx, request, { client, secret })
}

async function noteFailure(ctx: Ctx, request: FastifyRequest, { client, secret }: Shown): Promise<undefined> {
  await countFailure(ctx, keyOf(client, request))
  const reason = client ? (secret === undefined ? 'no_secret' : 'wrong_secret') : 'unknown_client'
  await noteRefusal(ctx, request, { client, reason })
}

const keyOf = (client: Client | undefined, request: FastifyRequest): string =>
  `${client?.id ?? 'unknown'}:${clientNetwork(request)}`

interface Refusal {
  /** Undefined: what was shown names none. It may be anything, so it is not kept. */
  client: Client | undefined
  reason: 'no_secret' | 'wrong_secret' | 'unknown_client' | 'disabled'
}

/**
 * Writes it down, once a minute for a client at one address: a program that has a wrong secret never tires of it. It
 * is done also for clients that do not exist, so that the time it takes does not tell which do.
 */
async function noteRefusal(ctx: Ctx, request: FastifyRequest, { client, reason }: Refusal): Promise<void> {
  if (!(await failuresOf(ctx).isNews(keyOf(client, request)))) return
  const names = client && {
    ...{ id: client.id, clientId: client.clientId, applicationId: client.applicationId },
  }
  await record(ctx, ctx.db, {
    ...{ action: 'client.refused', actor: SYSTEM, request, clientId: client?.clientId },
    details: { reason, ...names },
  })
}

/** One answer for every reason, so that nobody can find out which clients exist. */
export const invalidClient = (basic: boolean, status = 400): OAuthError =>
  new OAuthError('invalid_client', 'Client authentication failed.', {
    status,
    headers: basic ? BASIC_CHALLENGE : {},
  })

function readCredentials(request: FastifyRequest, form: Form): Credentials {
  const basic = readBasic(request)
  const { client_id, client_secret } = form
  if (!basic) {
    if (client_id === undefined)
      throw new OAuthError('invalid_request', 'The parameter client_id is missing.')
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

/** The credentials of HTTP Basic, each form-urlencoded (RFC 6749 §2.3.1); undefined when there is no header. */
export function readBasic(request: FastifyRequest): { clientId: string; secret: string } | undefined {
  const header = readAuthorization(request)
  if (header === null) throw invalidClient(true)
  // Another scheme is not for us to judge.
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

/** Who must wait, as far as this node knows: an honest client costs no look into the database. */
const blocked = new WeakMap<Ctx, LRUCache<string, number>>()

function blockedBy(ctx: Ctx): LRUCache<string, number> {
  const known = blocked.get(ctx)
  if (known) return known
  const made = new LRUCache<string, number>({ maxSize: 10_000, sizeCalculation: () => 1 })
  blocked.set(ctx, made)
  return made
}

/** That nobody else has to wait by now: what is answered to somebody who does not rests on it. */
const lastBlocks = new WeakMap<Ctx, Ground>()

function lastBlockOf(ctx: Ctx): Ground {
  const known = lastBlocks.get(ctx) ?? { isGone: false }
  lastBlocks.set(ctx, known)
  return known
}

function refuseWhenBlocked(ctx: Ctx, request: FastifyRequest, client: Client | undefined): void {
  restOn(lastBlockOf(ctx))
  const known = blockedBy(ctx)
  if (known.size === 0) return
  const until = known.get(keyOf(client, request)) ?? 0
  const seconds = Math.ceil((until - ctx.now().getTime()) / 1000)
  if (seconds <= 0) return
  ctx.figures.count(REFUSALS, { limiter: LIMITER })
  throw tooManyAttempts(seconds)
}

const failuresOf = ({ db, config }: Ctx): Limiter =>
  createLimiter(db, { name: LIMITER, most: config.limits.clientFailures, seconds: WINDOW_SECONDS })

/** Failures count for this client from this address: nobody's guesses keep the client itself out. */
async function countFailure(ctx: Ctx, key: string): Promise<void> {
  const wait = await failuresOf(ctx).count(key)
  if (wait === undefined) return
  blockedBy(ctx).set(key, ctx.now().getTime() + wait * 1000)
  lastBlockOf(ctx).isGone = true
  lastBlocks.delete(ctx)
}

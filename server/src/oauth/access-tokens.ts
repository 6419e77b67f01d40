import type { FastifyRequest } from 'fastify'
import { findClient } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import type { Fact } from '../db/memory.ts'
import { AppError } from '../errors.ts'
import { readAuthorization } from '../http/authorization.ts'
import { type Caller, type Doorkeeper, IN_BROWSER, type Person } from '../http/callers.ts'
import { requireSameOrigin } from '../http/csrf.ts'
import type { Exchange } from '../http/exchange.ts'
import { KEYS } from '../keys/key-ring.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { restUntil } from '../lib/grounds.ts'
import { isId } from '../lib/ids.ts'
import { fingerprintOf } from '../lib/secrets.ts'
import type { Claims } from '../lib/signer.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { findGraceEnd, lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { parseScope } from './scopes.ts'
import { findLiveGrant, isRevoked, type LiveGrantRow } from './store.ts'
import { anchorOf } from './tokens.ts'

/** The claims of an access token that the service itself relies on. */
export interface AccessClaims {
  sub: string
  aud: string
  jti: string
  client_id: string
  scope: string
  iat: number
  exp: number
  sid: string | undefined
  tenant_id: string | undefined
}

/** An access token whose session, person, membership and client all still stand. */
export interface LiveToken {
  claims: AccessClaims
  scopes: string[]
  /** Undefined for a machine's token. */
  person: LiveGrantRow | undefined
  /** Whoever comes with it. */
  caller: Caller
  /** When it ends by the clock: when it expires, or with the time in which it needs no second factor. */
  endsAt: Date
}

/**
 * The token, if it is one of ours and still alive. What it depends on is remembered until the database announces a
 * change of any of it, so a token in use costs no statement.
 */
export function findLiveToken(ctx: Ctx, token: string): Eventual<LiveToken | undefined> {
  const live = ctx.memory.recall(`access:${fingerprintOf(token)}`, () => loadLiveToken(ctx, token))
  return whenThere(live, (known) => {
    if (!known || known.endsAt <= ctx.now()) return undefined
    restUntil(known.endsAt)
    return known
  })
}

const expiryOf = ({ exp }: AccessClaims) => new Date(exp * 1000)

async function loadLiveToken(ctx: Ctx, token: string): Promise<Fact<LiveToken> | undefined> {
  const claims = toAccessClaims(await ctx.signer.verify('at+jwt', token))
  if (!claims || expiryOf(claims) <= ctx.now()) return undefined
  return claims.sid === undefined ? loadMachineToken(ctx, claims) : loadPersonToken(ctx, claims)
}

/** A signature of ours vouches for the content; that it is an access token's is checked all the same. */
export function toAccessClaims(claims: Claims | undefined): AccessClaims | undefined {
  const { sub, aud, jti, client_id, scope, iat, exp, sid, tenant_id } = claims ?? {}
  const texts = [sub, aud, jti, client_id, scope].every((claim) => typeof claim === 'string')
  const numbers = [iat, exp].every((claim) => Number.isSafeInteger(claim))
  return texts && numbers
    ? ({ sub, aud, jti, client_id, scope, iat, exp, sid, tenant_id } as AccessClaims)
    : undefined
}

/** It was issued within the second before. */
const issuedBefore = ({ iat }: AccessClaims) => new Date((iat + 1) * 1000)

/** What the token was given, as far as its client is still allowed it. */
const scopesOf = ({ scope }: AccessClaims, allowed: string[]) =>
  parseScope(scope).filter((granted) => allowed.includes(granted))

async function loadPersonToken(ctx: Ctx, claims: AccessClaims): Promise<Fact<LiveToken> | undefined> {
  const { jti, tenant_id } = claims
  const grantId = anchorOf(jti)
  if (!isId(grantId)) return undefined
  const issuedAt = issuedBefore(claims)
  const person = await findLiveGrant(ctx.db, { grantId, tenantId: tenant_id ?? null, jti, issuedAt })
  if (!person || !stands(person, claims)) return undefined
  const endsAt = findEnd(ctx, person, claims)
  if (!endsAt) return undefined
  const scopes = scopesOf(claims, person.client_scopes)
  return {
    value: { claims, scopes, person, caller: toPerson(person, claims), endsAt },
    subjects: [
      // A key may be withdrawn, and with it everything it has signed.
      KEYS,
      `grant:${grantId}`,
      `session:${person.session_id}`,
      `user:${person.id}`,
      `client:${person.client_uuid}`,
      `application:${person.application_id}`,
      `token:${jti}`,
      ...(tenant_id === undefined ? [] : [`member:${tenant_id}:${person.id}`, `tenant:${tenant_id}`]),
    ],
  }
}

const stands = (person: LiveGrantRow, claims: AccessClaims): boolean =>
  person.id === claims.sub &&
  person.session_id === claims.sid &&
  person.client_id === claims.client_id &&
  person.application_id === claims.aud &&
  !person.disabled &&
  !person.client_disabled &&
  person.revoked === null &&
  // Beyond the tenant that the grant is for now, the token may be for one it was for before.
  (claims.tenant_id === undefined || person.role !== null) &&
  isServed({ suspendedAt: person.tenant_suspended_at, reactivatedAt: person.tenant_reactivated_at }, claims)

/** Undefined where the tenant requires a second factor that was not shown for this grant, and gives no time to do so. */
function findEnd(ctx: Ctx, person: LiveGrantRow, claims: AccessClaims): Date | undefined {
  const expiry = expiryOf(claims)
  if (!lacksSecondFactor(person.mfa_policy, person.amr)) return expiry
  const graceEnd = findGraceEnd(ctx, person, person.session_id)
  if (!graceEnd) return undefined
  return graceEnd < expiry ? graceEnd : expiry
}

/** The suspensions of the tenant that a token is for; nulls: there was none, or the token is for no tenant. */
interface Suspension {
  suspendedAt: Date | null
  reactivatedAt: Date | null
}

/** Nobody acts for a suspended tenant; and a token from before a suspension was ended may be why there was one. */
const isServed = ({ suspendedAt, reactivatedAt }: Suspension, claims: AccessClaims): boolean =>
  suspendedAt === null && (reactivatedAt === null || reactivatedAt < issuedBefore(claims))

async function loadMachineToken(ctx: Ctx, claims: AccessClaims): Promise<Fact<LiveToken> | undefined> {
  const { jti, client_id, aud, tenant_id } = claims
  const client = await findClient(ctx, client_id)
  const secretId = anchorOf(jti)
  const alive =
    client &&
    !client.disabled &&
    client.applicationId === aud &&
    client.tenantId === tenant_id &&
    (client.suspension === undefined || isServed(client.suspension, claims)) &&
    // The token ends with the secret that obtained it.
    client.secrets.some(({ id }) => id === secretId) &&
    !(await isRevoked(ctx.db, jti))
  if (!alive) return undefined
  const scopes = scopesOf(claims, client.scopes)
  const caller: Caller = { kind: 'machine', clientId: client_id, tenantId: tenant_id, scopes }
  return {
    value: { claims, scopes, person: undefined, caller, endsAt: expiryOf(claims) },
    subjects: [
      KEYS,
      `client:${client.id}`,
      `application:${aud}`,
      `token:${jti}`,
      ...(tenant_id === undefined ? [] : [`tenant:${tenant_id}`]),
    ],
  }
}

/** The token of an Authorization header; undefined when there is none. */
export const readBearer = (request: FastifyRequest): string | undefined =>
  /^bearer +([\w.~+/-]+=*) *$/i.exec(readAuthorization(request) ?? '')?.[1]

/** Finds out who is calling: by their access token or, where that is enough, by the browser's session. */
export const recognise: Doorkeeper = (ctx, exchange, { cookies }) => {
  const { request } = exchange
  if (cookies && request.headers.authorization === undefined) return recogniseBrowser(ctx, exchange)
  const token = readBearer(request)
  if (token === undefined) throw unauthorized(request)
  return whenThere(findLiveToken(ctx, token), (live) => {
    if (!live) throw unauthorized(request)
    return live.caller
  })
}

function toPerson(person: LiveGrantRow, { client_id: clientId, tenant_id: tenantId }: AccessClaims): Person {
  const { id: userId, session_id: sessionId, is_super_admin: superAdmin, trusted, role, amr } = person
  const standing = { superAdmin, amr, trusted, tenantId, tenantRole: role ?? undefined }
  return { kind: 'person', userId, sessionId, clientId, ...standing }
}

async function recogniseBrowser(ctx: Ctx, exchange: Exchange): Promise<Caller> {
  const session = await findBrowserSession(ctx, exchange)
  if (!session) throw unauthorized(exchange.request)
  requireSameOrigin(ctx, exchange.request)
  const { id: sessionId, userId, superAdmin, amr } = session
  return { ...IN_BROWSER, userId, sessionId, superAdmin, amr }
}

function unauthorized({ headers }: FastifyRequest): AppError {
  const challenge = headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
  return new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': challenge } })
}

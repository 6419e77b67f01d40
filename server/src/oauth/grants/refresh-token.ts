import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { noteActivity } from '../../sessions/browser-session.ts'
import type { AuthenticatedClient } from '../client-auth.ts'
import { REUSE } from '../figures.ts'
import { invalidGrant, makeRefreshToken, toSubject } from '../grant-subject.ts'
import type { TokenForm, TokenReply } from '../schema.ts'
import { parseScope } from '../scopes.ts'
import { findConsent, listActiveMemberships } from '../store.ts'
import { findLicenseClaim, issueTokens, type Subject } from '../tokens.ts'
import { type Ending, endGrant } from './ending.ts'
import { rememberGrant, takeGrant } from './recent.ts'
import { renew } from './renewal.ts'
import {
  findGrantByRefreshToken,
  type GrantRow,
  type NewRefreshToken,
  rotateRefreshToken,
  type TokenRow,
} from './store.ts'
import { takeBackIfUnanswered, untilTakenBack, whenTakenBack } from './unanswered.ts'

/** The refresh token grant (RFC 6749 §6), with rotation (RFC 9700 §4.14.2). */
export async function refresh(
  ctx: Ctx,
  authenticated: AuthenticatedClient,
  form: TokenForm,
): Promise<TokenReply> {
  const { refresh_token } = form
  if (refresh_token === undefined) {
    throw new OAuthError('invalid_request', 'The parameter refresh_token is missing.')
  }
  const hash = hashSecret(refresh_token)
  await whenTakenBack(ctx, hash)
  const known = takeGrant(ctx, hash)
  return (
    (known && (await refreshKnown(ctx, authenticated, { known, hash, form }))) ??
    refreshUnknown(ctx, authenticated, { hash, form })
  )
}

interface Shown {
  hash: Buffer
  form: TokenForm
}

/**
 * Where all that hangs on the token is known, if it is still so. If not, or if it would be refused, nothing was done:
 * what is refused, and why, is for what stands in the database to say.
 */
async function refreshKnown(
  ctx: Ctx,
  { client }: AuthenticatedClient,
  { known: grant, hash, form }: Shown & { known: GrantRow },
): Promise<TokenReply | undefined> {
  if (form.tenant !== undefined || grant.client_id !== client.id) return undefined
  const subject = withoutRefusal(() => subjectFor(client, grant, form))
  if (!subject) return undefined
  const license = await findLicenseClaim(ctx, subject)
  const now = ctx.now()
  const { token, kept } = makeRefreshToken(ctx, client, grant.expires_at)
  return takeBackIfUnanswered(ctx, { hash, successor: kept.hash }, async () => {
    // Signed while the disk is waited for. Where the token is refused nobody has seen what was signed.
    const signed = issueTokens(ctx, subject, { refreshToken: token, license })
    const renewal = { grant, hash, now, successor: kept }
    const [reply, isRenewed] = await bothOf(signed, renew(ctx, { renewal, signed }))
    if (!isRenewed) return undefined
    await keepGrant(ctx, { grant, now, kept })
    return reply
  })
}

/** What both yield; fails when either does, but not while the other is at work. */
async function bothOf<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

function withoutRefusal<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

async function refreshUnknown(
  ctx: Ctx,
  { client, request }: AuthenticatedClient,
  { hash, form }: Shown,
): Promise<TokenReply> {
  const grant = await findGoodGrant(ctx, client, hash)
  const now = ctx.now()
  // Another client's attempt changes nothing.
  if (!grant || grant.client_id !== client.id) throw invalidGrant('The refresh token is not valid.')
  const reuse = { action: 'session.token_reused', grant, client, kind: 'refresh_token', request } as const
  if (grant.token_used_at !== null) throw await reused(ctx, reuse)
  if (grant.token_expires_at <= now) throw invalidGrant('The refresh token has expired.')
  const switched = form.tenant === undefined ? grant : await switchTenant(ctx, client, grant, form.tenant)
  const subject = subjectFor(client, switched, form)
  const license = await findLicenseClaim(ctx, subject)
  const { token, kept } = makeRefreshToken(ctx, client, grant.expires_at)
  const rotation = {
    grantId: grant.id,
    tenantId: switched.tenant_id,
    hash,
    now,
    successor: kept,
    process: ctx.changes.processNumber,
  }
  return takeBackIfUnanswered(ctx, { hash, successor: kept.hash }, async () => {
    if (!(await rotateRefreshToken(ctx.db, rotation))) throw await reused(ctx, reuse)
    await keepGrant(ctx, { grant: switched, now, kept })
    return issueTokens(ctx, subject, { refreshToken: token, license })
  })
}

/** The grant of a token. One of the client's own that counts as used is looked at again where that may be taken back. */
async function findGoodGrant(ctx: Ctx, client: Client, hash: Buffer): Promise<TokenRow | undefined> {
  const find = () => findGrantByRefreshToken(ctx.db, hash)
  let grant = await find()
  const isGood = async () => {
    grant = await find()
    return grant?.token_used_at === null
  }
  const usedAt = grant?.token_used_at ?? null
  if (usedAt !== null && grant?.client_id === client.id) await untilTakenBack(ctx, { hash, usedAt, isGood })
  return grant
}

/** Whom the new tokens are for, and what they allow. */
function subjectFor(client: Client, grant: GrantRow, form: TokenForm): Subject {
  const whole = toSubject(client, grant)
  if (!whole.scopes.includes('offline_access'))
    throw invalidGrant('The client may not have refresh tokens any more.')
  return { ...whole, scopes: narrow(whole.scopes, form.scope) }
}

interface Renewed {
  grant: GrantRow
  now: Date
  /** What is kept of the successor. */
  kept: NewRefreshToken
}

/** What hangs on the successor is known when it is shown, and whoever refreshes is here. */
async function keepGrant(ctx: Ctx, { grant, now, kept }: Renewed): Promise<void> {
  const active = await noteActivity(ctx, { id: grant.session_id, lastActive: grant.session_active_at })
  rememberGrant(ctx, kept.hash, {
    ...grant,
    ...{ session_active_at: active, token_created_at: now, token_expires_at: kept.expiresAt },
  })
}

/** A token shown twice was stolen from somebody: the whole family ends, and stays ended whatever comes after. */
async function reused(ctx: Ctx, reuse: Ending): Promise<OAuthError> {
  await endGrant(ctx, reuse)
  ctx.figures.count(REUSE, { kind: 'refresh_token' })
  await ctx.changes.settle()
  return invalidGrant('The refresh token was used before; every token of its family has ended.')
}

/** The grant as if it had been given for another tenant, of which the person must be an active member. */
async function switchTenant(ctx: Ctx, client: Client, grant: GrantRow, slug: string): Promise<GrantRow> {
  const memberships = await listActiveMemberships(ctx.db, grant.user_id)
  const membership = memberships.find((candidate) => candidate.slug === slug)
  if (!membership) throw invalidGrant('The person is no active member of that tenant.')
  const { id, role, mfa_policy, suspended_at: tenant_suspended_at } = membership
  if (!client.trusted && id !== grant.tenant_id && !(await hasConsented(ctx, grant, client, id))) {
    throw invalidGrant('The person has not consented in that tenant.')
  }
  return { ...grant, tenant_id: id, tenant_slug: slug, role, mfa_policy, tenant_suspended_at }
}

/** A third-party application has what it was allowed in each tenant, and nothing beyond. */
async function hasConsented(ctx: Ctx, grant: GrantRow, client: Client, tenantId: string): Promise<boolean> {
  const key = { userId: grant.user_id, applicationId: client.applicationId, tenantId }
  const consent = await findConsent(ctx.db, key)
  const scopes = grant.scopes.filter((scope) => client.scopes.includes(scope))
  return consent !== undefined && scopes.every((scope) => consent.scopes.includes(scope))
}

/** The wish, if it asks for nothing beyond what was granted. */
function narrow(granted: string[], wish: string | undefined): string[] {
  const scopes = parseScope(wish)
  if (scopes.length === 0) return granted
  const beyond = scopes.find((scope) => !granted.includes(scope))
  if (beyond !== undefined) throw new OAuthError('invalid_scope', 'A scope was not granted to begin with.')
  return scopes
}

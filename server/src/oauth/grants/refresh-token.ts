import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import type { CacheEntry } from '../../db/cache.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { recordActivity } from '../../sessions/browser-session.ts'
import type { TokenRequester } from '../client-auth.ts'
import { requireProofOfKey } from '../dpop/binding.ts'
import { createRefreshToken, invalidGrant, isConsented, refreshTokenExpiry, toSubject } from '../grant-subject.ts'
import { issueTokens, type Subject } from '../issue-tokens.ts'
import { findLicenseOfSubject, type LicenseClaim } from '../license-claim.ts'
import { TOKEN_REUSE } from '../metrics.ts'
import { requireGrantResource } from '../resources.ts'
import type { TokenForm, TokenResponse } from '../schema.ts'
import { parseScope } from '../scopes.ts'
import { endGrant, type GrantEnd } from './end-grant.ts'
import { renew, rotate } from './rotation.ts'
import { findGrantByRefreshToken, type TokenRow } from './store.ts'
import { requireConsentAfterSwitch, switchTenant } from './switch-tenant.ts'
import { undoRotationOnFailure, waitForPendingUndo, waitForUndoElsewhere } from './undo-rotation.ts'

/** The refresh token grant (RFC 6749 §6), with rotation (RFC 9700 §4.14.2) except for FAPI 2.0. */
export async function refresh(ctx: Ctx, requester: TokenRequester, form: TokenForm): Promise<TokenResponse> {
  const { refresh_token } = form
  if (refresh_token === undefined) {
    throw new OAuthError('invalid_request', 'The parameter refresh_token is missing.')
  }
  const { client, request } = requester
  const hash = hashSecret(refresh_token)
  await waitForPendingUndo(ctx, hash)
  const cached = isRotated(client) ? ctx.cache.peek<TokenRow>(keyOf(hash)) : undefined
  const reply = cached && (await ignoreRefusal(() => useToken(ctx, requester, { tokenRow: cached, form })))
  if (reply) return reply
  // Another node may have used a cached token, so a refusal is decided by the database only.
  ctx.cache.delete(keyOf(hash))
  const tokenRow = await findToken(ctx, client, hash)
  if (!tokenRow) throw invalidGrant('The refresh token is not valid.')
  return (
    (await useToken(ctx, requester, { tokenRow, form })) ??
    revokeFamilyOfReusedToken(ctx, {
      action: 'session.token_reused',
      grant: tokenRow,
      client,
      kind: 'refresh_token',
      request,
    })
  )
}

/** Refresh tokens of FAPI 2.0 clients are kept (FAPI 2.0 §5.3.2.1). */
const isRotated = ({ securityProfile }: Client): boolean => securityProfile !== 'FAPI2'

interface PresentedToken {
  tokenRow: TokenRow
  form: TokenForm
}

/** Checks a refresh token and issues new tokens; undefined if it was used up before. */
async function useToken(
  ctx: Ctx,
  requester: TokenRequester,
  presented: PresentedToken,
): Promise<TokenResponse | undefined> {
  const checked = await checkToken(ctx, requester, presented)
  if (!checked) return undefined
  return isRotated(requester.client) ? rotateToken(ctx, requester, checked) : renewToken(ctx, requester, checked)
}

/** A refresh token that may be used, with what its new tokens are for. */
interface CheckedToken extends PresentedToken {
  now: Date
  /** The row with the tenant that the client requested. */
  switchedRow: TokenRow
  subject: Subject
  license: LicenseClaim | undefined
}

/** Undefined if the token was used up before. Uses up the proof. */
async function checkToken(
  ctx: Ctx,
  { client, proof }: TokenRequester,
  { tokenRow, form }: PresentedToken,
): Promise<CheckedToken | undefined> {
  const now = ctx.now()
  if (tokenRow.client_id !== client.id) throw invalidGrant('The refresh token is not valid.')
  if (tokenRow.token_used_at !== null) return undefined
  if (tokenRow.token_expires_at <= now) throw invalidGrant('The refresh token has expired.')
  requireGrantResource(tokenRow, form.resource)
  requireProofOfKey(tokenRow.dpop_jkt, proof, { anyKey: client.kind !== 'SPA' })
  const { tenant: requestedTenant } = form
  const switchedRow =
    requestedTenant === undefined ? tokenRow : await switchTenant(ctx, client, tokenRow, requestedTenant)
  const subject = subjectFor(client, switchedRow, form)
  const license = await findLicenseOfSubject(ctx, subject)
  await proof?.use()
  return { tokenRow, form, now, switchedRow, subject, license }
}

/**
 * Issues new tokens, and keeps the refresh token: only the client itself can use it, and a response that was lost does no
 * harm.
 */
async function renewToken(
  ctx: Ctx,
  { client, proof }: TokenRequester,
  { tokenRow, form, now, switchedRow, subject, license }: CheckedToken,
): Promise<TokenResponse> {
  const { token_hash: hash, id: grantId, expires_at: grantExpiresAt } = tokenRow
  const expiresAt = refreshTokenExpiry(ctx, client, grantExpiresAt)
  const [reply, isRenewed] = await awaitBoth(
    issueTokens(ctx, subject, { refreshToken: form.refresh_token, license, proof }),
    renew(ctx, { hash, grantId, tenantId: switchedRow.tenant_id, now, expiresAt }),
  )
  if (!isRenewed) throw invalidGrant('The refresh token is not valid.')
  await requireConsentAfterSwitch(ctx, client, { tokenRow, switchedRow })
  await recordActivity(ctx, { id: tokenRow.session_id, lastActive: tokenRow.session_active_at })
  return reply
}

/** Issues new tokens and uses up this one; undefined if another request has used it up. */
async function rotateToken(
  ctx: Ctx,
  { client, proof }: TokenRequester,
  { tokenRow, form, now, switchedRow, subject, license }: CheckedToken,
): Promise<TokenResponse | undefined> {
  const { token: newToken, row: successorRow } = createRefreshToken(ctx, client, tokenRow.expires_at)
  const { token_hash: hash, id: grantId } = tokenRow
  const undo = { hash, successor: successorRow.hash, jkt: tokenRow.dpop_jkt }
  return undoRotationOnFailure(ctx, undo, async () => {
    // Signing and the database write run in parallel. If the rotation fails, the signed tokens are discarded.
    const signed = issueTokens(ctx, subject, { refreshToken: newToken, license, proof })
    const { jkt } = proof ?? {}
    const rotation = { hash, grantId, tenantId: switchedRow.tenant_id, jkt, now, successor: successorRow }
    // `rotate` uses `signed` only to time its next batch.
    const [reply, isRotated] = await awaitBoth(signed, rotate(ctx, { rotation, signed }))
    if (!isRotated) return undefined
    await requireConsentAfterSwitch(ctx, client, { tokenRow, switchedRow })
    const session_active_at = await recordActivity(ctx, {
      id: tokenRow.session_id,
      lastActive: tokenRow.session_active_at,
    })
    const value: TokenRow = {
      ...switchedRow,
      session_active_at,
      dpop_jkt: jkt ?? tokenRow.dpop_jkt,
      token_hash: successorRow.hash,
      token_created_at: now,
      token_expires_at: successorRow.expiresAt,
    }
    // The cached row depends on the tenant, so it is not kept if the client requested one.
    if (form.tenant !== undefined) ctx.cache.delete(keyOf(hash))
    else ctx.cache.replace(keyOf(hash), { key: keyOf(successorRow.hash), value })
    return reply
  })
}

const keyOf = (hash: Buffer): string => `refresh:${hash.toString('base64url')}`

/** Like Promise.all, but waits for both promises before it rejects. */
async function awaitBoth<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

async function ignoreRefusal<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

/** Finds a token with its grant. A used token of the same client is read again if its use may be undone. */
async function findToken(ctx: Ctx, client: Client, hash: Buffer): Promise<TokenRow | undefined> {
  const find = () => ctx.cache.getOrLoad(keyOf(hash), () => loadToken(ctx, hash), isUnused)
  let tokenRow = await find()
  const reload = async () => {
    tokenRow = await find()
    return tokenRow !== undefined && isUnused(tokenRow)
  }
  const usedAt = tokenRow?.token_used_at ?? null
  if (usedAt !== null && tokenRow?.client_id === client.id) await waitForUndoElsewhere(ctx, { hash, usedAt, reload })
  return tokenRow
}

const isUnused = ({ token_used_at }: TokenRow): boolean => token_used_at === null

async function loadToken(ctx: Ctx, hash: Buffer): Promise<CacheEntry<TokenRow> | undefined> {
  const tokenRow = await findGrantByRefreshToken(ctx.db, hash)
  if (!tokenRow) return undefined
  const { id, session_id, user_id, client_id, tenant_id, resource_id } = tokenRow
  const tenant = tenant_id === null ? [] : [`member:${tenant_id}:${user_id}`, `tenant:${tenant_id}`]
  const resource = resource_id === null ? [] : [`resource:${resource_id}`]
  const owners = [`grant:${id}`, `session:${session_id}`, `user:${user_id}`, `client:${client_id}`]
  const invalidatedBy = [...owners, ...tenant, ...resource]
  // If another node rotated the token, an older one is still cached here; storing this entry removes it.
  return { value: tokenRow, subjects: invalidatedBy, latestOf: `refresh-tokens:${id}` }
}

/** Returns the subject with the scopes of the new tokens. */
function subjectFor(client: Client, grant: TokenRow, form: TokenForm): Subject {
  const subject = toSubject(client, grant)
  if (!isConsented(client, grant)) throw invalidGrant('The user has not consented to what this grant gives.')
  if (!subject.scopes.includes('offline_access'))
    throw invalidGrant('The client is no longer allowed to use refresh tokens.')
  return { ...subject, scopes: narrowScopes(subject.scopes, form.scope) }
}

/** A reused token may have been stolen (RFC 9700 §4.14.2), so its whole family is revoked. */
async function revokeFamilyOfReusedToken(ctx: Ctx, reuse: GrantEnd): Promise<never> {
  await endGrant(ctx, reuse)
  ctx.metrics.count(TOKEN_REUSE, { kind: 'refresh_token' })
  await ctx.changes.waitUntilCurrent()
  throw invalidGrant('The refresh token was already used, so all tokens of this authorization were revoked.')
}

/** RFC 6749 §6: the scope may not exceed what was granted. */
function narrowScopes(granted: string[], requested: string | undefined): string[] {
  const scopes = parseScope(requested)
  if (scopes.length === 0) return granted
  if (scopes.some((scope) => !granted.includes(scope)))
    throw new OAuthError('invalid_scope', 'The requested scope exceeds the granted scope.', {
      facts: { scope: requested, granted },
    })
  return scopes
}

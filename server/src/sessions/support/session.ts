import type { FastifyRequest } from 'fastify'
import { type AuditEvent, recordAuditEvent, SYSTEM, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import type { Tx } from '../../db/open.ts'
import { clientAddress, clientNetwork, clientUserAgent } from '../../http/request/client-address.ts'
import { clearCookie, readCookie, setCookie } from '../../http/request/cookies.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { toDisplayName } from '../../lib/display-name.ts'
import { newId } from '../../lib/ids.ts'
import { hashSecret, isSecret, newSecret } from '../../lib/secrets.ts'
import {
  deleteDueSessions,
  deleteSessionsOfOperator,
  deleteSupportSession,
  findById,
  findBySecret,
  insertSupportSession,
  openLink,
  type SupportEnd,
  type SupportRow,
  takeEnded,
} from './store.ts'

/**
 * The session in which an operator acts as a member. Its cookie is next to that of the operator's own session and is
 * valid only together with it, so the operator stays signed in, and a copied cookie or link is of no use elsewhere.
 */

const COOKIE = 'latchkey_support'

/** Who acts as the user of a session, where, and until when. */
export interface SupportAccess {
  operatorId: string
  operatorName: string
  tenantId: string
  tenantName: string
  endsAt: Date
}

/** The session of the operator. */
interface OwnSession {
  id: string
  userId: string
  superAdmin: boolean
  authTime: Date
  authTimeAssumed: boolean
  amr: string[]
}

/** Whether the browser may be acting as a member. */
export const hasSupportCookie = ({ config }: Ctx, request: FastifyRequest): boolean =>
  config.supportAccess && readCookie(request, config, COOKIE) !== undefined

/** Finds the session in which the operator of this browser acts as a member. Costs nothing without its cookie. */
export async function findSupportSession(ctx: Ctx, { request, reply }: Exchange, own: OwnSession) {
  if (!hasSupportCookie(ctx, request)) return undefined
  const secret = readCookie(request, ctx.config, COOKIE)
  const found =
    secret !== undefined && isSecret(secret) && own.superAdmin
      ? await findBySecret(ctx.db, { hash: hashSecret(secret), operatorSessionId: own.id, now: ctx.now() })
      : undefined
  if (!found) {
    clearSupportCookie(ctx, { request, reply })
    return undefined
  }
  const displayName = toDisplayName(found)
  const support = toSupportAccess(found)
  const { operatorName: operator, tenantName: tenant, endsAt } = support
  request.operatorId = found.operator_id
  request.supportBanner = { operator, member: displayName, tenant, endsAt }
  return {
    id: found.id,
    userId: found.user_id,
    email: found.email,
    emailVerified: found.email_verified,
    displayName,
    superAdmin: false,
    authTime: found.auth_time,
    authTimeAssumed: found.auth_time_assumed,
    amr: found.amr,
    support,
  }
}

const toSupportAccess = (row: SupportRow): SupportAccess => ({
  operatorId: row.operator_id,
  operatorName: toDisplayName({
    email: row.operator_email,
    display_name: row.operator_display_name,
    given_name: row.operator_given_name,
    family_name: row.operator_family_name,
  }),
  tenantId: row.tenant_id,
  tenantName: row.tenant_name,
  endsAt: row.ends_at,
})

/** For the person's profile, which says who acts as them in this session. */
export async function findSupportAccess(ctx: Ctx, sessionId: string): Promise<SupportAccess | undefined> {
  const found = await findById(ctx.db, sessionId)
  return found && toSupportAccess(found)
}

interface NewSupportSession {
  own: OwnSession
  userId: string
  tenantId: string
  endsAt: Date
  request: FastifyRequest
}

/** Ends the operator's other sessions of this kind, and starts one. Returns its id, and the code of its link. */
export async function createSupportSession(
  ctx: Ctx,
  tx: Tx,
  { own, userId, tenantId, endsAt, request }: NewSupportSession,
): Promise<{ id: string; code: string }> {
  await deleteSessionsOfOperator(tx, own.userId)
  const [id, code, now] = [newId(), newSecret(), ctx.now()]
  await insertSupportSession(tx, {
    session: {
      id,
      user_id: userId,
      // Nobody has this one: its cookie has a secret of its own.
      secret_hash: hashSecret(newSecret()),
      secret_since: now,
      previous_secret_hash: null,
      previous_valid_until: null,
      // It was the operator who authenticated.
      auth_time: own.authTime,
      auth_time_assumed: own.authTimeAssumed,
      amr: own.amr,
      user_agent: clientUserAgent(request),
      ip_address: clientAddress(request),
      network: clientNetwork(request),
      created_at: now,
      last_active_at: now,
      cookie_used_at: now,
      operator_id: own.userId,
      ends_at: endsAt,
    },
    support: {
      id,
      link_hash: hashSecret(code),
      secret_hash: null,
      operator_id: own.userId,
      operator_session_id: own.id,
      user_id: userId,
      tenant_id: tenantId,
      created_at: now,
      ends_at: endsAt,
    },
  })
  return { id, code }
}

/** Sets the cookie; false if the link was used, is too old, or belongs to another session than the one of this browser. */
export async function openSupportSession(
  ctx: Ctx,
  { reply }: Exchange,
  { code, operatorSessionId }: { code: string; operatorSessionId: string },
): Promise<boolean> {
  if (!isSecret(code)) return false
  const [value, now] = [newSecret(), ctx.now()]
  const hashes = { hash: hashSecret(code), secretHash: hashSecret(value) }
  const endsAt = await openLink(ctx.db, { ...hashes, operatorSessionId, now })
  if (!endsAt) return false
  const maxAgeSeconds = Math.max(0, Math.floor((endsAt.getTime() - now.getTime()) / 1000))
  setCookie(reply, ctx.config, { name: COOKIE, value, maxAgeSeconds })
  return true
}

export function clearSupportCookie({ config }: Ctx, { request, reply }: Exchange): void {
  if (readCookie(request, config, COOKIE) !== undefined) clearCookie(reply, config, COOKIE)
}

/** Ends support access at the request of its operator. When it returns, this process refuses its tokens. */
export async function endSupportSession(ctx: Ctx, id: string, request: FastifyRequest): Promise<void> {
  await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const ended = await deleteSupportSession(tx, id)
      if (ended) await recordAuditEvent(ctx, tx, { ...toEndEvent(ended, 'ENDED'), request })
    }),
  )
  await ctx.changes.waitUntilCurrent()
}

type EndCause = 'ENDED' | 'EXPIRED' | 'WITHDRAWN'

const toEndEvent = ({ id, operator_id, user_id, tenant_id }: SupportEnd, cause: EndCause): AuditEvent => ({
  action: 'support_access.ended',
  actor: cause === 'ENDED' ? userActor(operator_id) : SYSTEM,
  userId: user_id,
  tenantId: tenant_id,
  details: { sessionId: id, operatorId: operator_id, cause },
})

/** Ends sessions whose time is over, and records every end that is not in the audit log yet. */
export async function closeSupportSessions(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  await ctx.db.transaction().execute(async (tx) => {
    await deleteDueSessions(tx, ctx.config.supportAccess ? now : undefined)
    for (const ended of await takeEnded(tx)) {
      await recordAuditEvent(ctx, tx, toEndEvent(ended, ended.ends_at <= now ? 'EXPIRED' : 'WITHDRAWN'))
    }
  })
}

import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../../http/routing/pagination.ts'
import { t } from '../../languages/translate.ts'
import { checkField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId, newId } from '../../lib/ids.ts'
import { nameRule, parseName } from '../../lib/names.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { listProblems } from '../clients/rules.ts'
import {
  countRegistrationTokens,
  countUse,
  deleteRegistrationToken,
  deleteTokensExpiredBefore,
  findUsableToken,
  insertRegistrationToken,
  listRegistrationTokens,
  type RegistrationToken,
} from './store.ts'

/** Tokens that operators give to developers and programs, so that their clients may register themselves (RFC 7591). */

export type { RegistrationToken }

const DAY_MS = 86_400_000
export const DEFAULT_DAYS = 7
export const MAX_DAYS = 365
export const MAX_USES = 10_000
/** Expired tokens stay in the list for so long. */
const KEPT_DAYS = 30
/** A host name as it is written in a URL, without a port. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])$/

export interface NewRegistrationToken {
  name: string
  expiresInDays?: number | undefined
  maxUses?: number | undefined
  redirectHosts?: string[] | null | undefined
}

/** The token itself is returned here and cannot be read again. */
export async function createRegistrationToken(
  ctx: Ctx,
  draft: NewRegistrationToken,
  source: AuditSource,
): Promise<{ created: RegistrationToken; token: string }> {
  const { expiresInDays = DEFAULT_DAYS, maxUses = 1, redirectHosts = null } = draft
  throwIfInvalid([
    checkField(parseName(draft.name) !== undefined, 'name', nameRule()),
    checkField(isWithin(expiresInDays, MAX_DAYS), 'expiresInDays', t('must be 1 to {max}', { max: MAX_DAYS })),
    checkField(isWithin(maxUses, MAX_USES), 'maxUses', t('must be 1 to {max}', { max: MAX_USES })),
    checkField(redirectHosts?.length !== 0, 'redirectHosts', t('must name at least one, or be null for any')),
    ...listProblems('redirectHosts', redirectHosts ?? [], hostProblem),
  ])
  // The prefix lets secret scanners recognize a leaked token.
  const token = `lki_${newSecret()}`
  const now = ctx.now()
  const created = await ctx.db.transaction().execute(async (tx) => {
    const stored = await insertRegistrationToken(tx, {
      id: newId(),
      name: draft.name.trim(),
      hash: hashSecret(token),
      redirect_hosts: redirectHosts,
      max_uses: maxUses,
      expires_at: new Date(now.getTime() + expiresInDays * DAY_MS),
      created_at: now,
    })
    const details = { registrationTokenId: stored.id, after: toAuditState(stored) }
    await recordAuditEvent(ctx, tx, { action: 'registration_token.created', ...source, details })
    return stored
  })
  return { created, token }
}

const isWithin = (count: number, max: number) => Number.isInteger(count) && count >= 1 && count <= max

const hostProblem = (host: string): string | undefined =>
  HOST.test(host) ? undefined : t('must be a host name in small letters, without a scheme and a port')

const toAuditState = ({ name, redirectHosts, maxUses, uses, expiresAt }: RegistrationToken) => ({
  name,
  redirectHosts,
  maxUses,
  uses,
  expiresAt: expiresAt.toISOString(),
})

/** The newest first. */
export async function getRegistrationTokenPage(
  ctx: Ctx,
  request: PageRequest,
): Promise<{ registrationTokens: RegistrationToken[]; pagination: Pagination }> {
  const [registrationTokens, total] = await Promise.all([
    listRegistrationTokens(ctx.db, toRange(request)),
    countRegistrationTokens(ctx.db),
  ])
  return { registrationTokens, pagination: describePage(request, total) }
}

/** Deletes a token. The clients that registered with it stay. */
export async function revokeRegistrationToken(ctx: Ctx, id: string, source: AuditSource): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const deleted = isId(id) ? await deleteRegistrationToken(tx, id) : undefined
    if (!deleted) throw new AppError('REGISTRATION_TOKEN_NOT_FOUND')
    const details = { registrationTokenId: deleted.id, before: toAuditState(deleted) }
    await recordAuditEvent(ctx, tx, { action: 'registration_token.revoked', ...source, details })
  })
}

/** The token, if a client may register with it now. */
export const findRegistrationToken = (ctx: Ctx, token: string): Promise<RegistrationToken | undefined> =>
  findUsableToken(ctx.db, { hash: hashSecret(token), now: ctx.now() })

/** Uses the token in the transaction that registers the client. False if it was used up or revoked meanwhile. */
export const useRegistrationToken = (ctx: Ctx, tx: Tx, token: string): Promise<boolean> =>
  countUse(tx, { hash: hashSecret(token), now: ctx.now() })

export const sweepRegistrationTokens = (ctx: Ctx): Promise<void> =>
  deleteTokensExpiredBefore(ctx.db, new Date(ctx.now().getTime() - KEPT_DAYS * DAY_MS))

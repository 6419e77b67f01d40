import { toClientRef } from '../../applications/clients/locked.ts'
import { getClient } from '../../applications/clients/registration.ts'
import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import { AppError } from '../../errors.ts'
import { isId } from '../../lib/ids.ts'
import { type LogoutDeliveryBody, type LogoutDeliveryPage, type LogoutDeliveryQuery, MAX_PAGE_SIZE } from './schema.ts'
import { type LogoutDelivery, listLogouts, requeueLogout } from './store.ts'

/** Per client. */
const LIMIT = { name: 'logout-replay', max: 60, seconds: 3_600 }

export async function listLogoutPage(ctx: Ctx, id: string, query: LogoutDeliveryQuery): Promise<LogoutDeliveryPage> {
  const client = await getClient(ctx, id)
  const limit = Math.min(query.limit, MAX_PAGE_SIZE)
  const rows = await listLogouts(ctx.db, { ...query, clientRowId: client.id, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return { deliveries: page.map(toBody), next: rows.length > limit ? Number(page.at(-1)?.position) : null }
}

const toBody = (row: LogoutDelivery): LogoutDeliveryBody => ({
  id: row.id,
  status: row.status,
  userId: row.user_id,
  sessionId: row.session_id,
  attempts: row.attempts,
  lastStatus: row.last_status,
  lastError: row.last_error,
  nextAttemptAt: row.due_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
})

/** Sends a logout token again. A delivery that waits for its next attempt becomes due now. */
export async function replayLogout(
  ctx: Ctx,
  { id, deliveryId }: { id: string; deliveryId: string },
  source: AuditSource,
): Promise<void> {
  const client = await getClient(ctx, id)
  await ctx.db.transaction().execute(async (tx) => {
    await countAgainstLimit(tx, LIMIT, client.id)
    const delivery = { id: deliveryId, clientRowId: client.id, now: ctx.now() }
    if (!isId(deliveryId) || !(await requeueLogout(tx, delivery))) throw new AppError('DELIVERY_NOT_FOUND')
    const details = { ...toClientRef(client), deliveryId }
    await recordAuditEvent(ctx, tx, { action: 'client.logout_replayed', ...source, details })
  })
}

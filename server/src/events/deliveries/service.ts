import { recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId } from '../../lib/ids.ts'
import { expandPatterns, isPattern, PATTERN_RULE } from '../patterns.ts'
import { getWebhook, toAuditScope, type WebhookScope } from '../webhooks/service.ts'
import {
  type DeliveryBody,
  type DeliveryPage,
  type DeliveryQuery,
  MAX_PAGE_SIZE,
  type ReplayRequest,
  type ReplayResult,
} from './schema.ts'
import { type Delivery, listDeliveries, requeueDelivery, requeueEvents } from './store.ts'

/** The maximum number of events that one request replays. */
const MAX_REPLAYED = 10_000
/** Per webhook, because each request may cause that many deliveries. */
const LIMIT = { name: 'webhook-replay', max: 60, seconds: 3_600 }

export async function listDeliveryPage(
  scope: WebhookScope,
  webhookId: string,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const webhook = await getWebhook(scope, webhookId)
  const limit = Math.min(query.limit, MAX_PAGE_SIZE)
  const rows = await listDeliveries(scope.tx, { ...query, webhookId: webhook.id, limit: limit + 1 })
  const deliveries = rows.slice(0, limit).map(toBody)
  return { deliveries, next: rows.length > limit ? (deliveries.at(-1)?.event.position ?? null) : null }
}

const toBody = (row: Delivery): DeliveryBody => ({
  id: row.id,
  status: row.status,
  event: { id: row.event_id, type: row.event_type, position: Number(row.position) },
  attempts: row.attempts,
  lastStatus: row.last_status,
  lastError: row.last_error,
  nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
})

/** Replays one event. A delivery that waits for its next attempt becomes due now. */
export async function replayDelivery(
  ctx: Ctx,
  scope: WebhookScope,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<ReplayResult> {
  const webhook = await getWebhook(scope, webhookId)
  await countAgainstLimit(scope.tx, LIMIT, webhook.id)
  const delivery = { id: deliveryId, webhookId: webhook.id, now: ctx.now() }
  if (!isId(deliveryId) || !(await requeueDelivery(scope.tx, delivery))) throw new AppError('DELIVERY_NOT_FOUND')
  const details = { webhookId: webhook.id, deliveryId, count: 1 }
  await recordAuditEvent(ctx, scope.tx, { action: 'webhook.replayed', ...toAuditScope(scope), details })
  return { count: 1, next: null }
}

/** Replays the events of a period, including those from when the webhook was disabled or did not exist yet. */
export async function replayEvents(
  ctx: Ctx,
  scope: WebhookScope,
  webhookId: string,
  request: ReplayRequest,
): Promise<ReplayResult> {
  const webhook = await getWebhook(scope, webhookId)
  const { after = 0, types = ['*'] } = request
  const [from, to] = [toDate(request.from), toDate(request.to)]
  throwIfInvalid([
    checkField(request.after !== undefined || from !== undefined, 'after', t('is required, or else from')),
    checkField(!Number.isNaN(from?.getTime()), 'from', t('is not a valid time')),
    checkField(!Number.isNaN(to?.getTime()), 'to', t('is not a valid time')),
    ...types.map((pattern, index) => checkField(isPattern(pattern), `types.${index}`, t(PATTERN_RULE))),
  ])
  await countAgainstLimit(scope.tx, LIMIT, webhook.id)
  const requestedTypes = expandPatterns(types)
  const { count, last } = await requeueEvents(scope.tx, {
    after,
    from,
    to,
    limit: MAX_REPLAYED,
    now: ctx.now(),
    webhook: { id: webhook.id, tenantId: webhook.tenant_id },
    types: expandPatterns(webhook.events).filter((type) => requestedTypes.includes(type)),
  })
  const details = { webhookId: webhook.id, count }
  await recordAuditEvent(ctx, scope.tx, { action: 'webhook.replayed', ...toAuditScope(scope), details })
  return { count, next: count === MAX_REPLAYED ? (last ?? null) : null }
}

const toDate = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text))

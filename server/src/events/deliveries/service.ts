import { record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { createLimiter } from '../../db/limiter.ts'
import { AppError, tooManyAttempts } from '../../errors.ts'
import { isId } from '../../lib/ids.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { isPattern, PATTERN_RULE, typesOf } from '../patterns.ts'
import { type Desk, entryOf, getWebhook } from '../webhooks/service.ts'
import {
  type DeliveryBody,
  type DeliveryPage,
  type DeliveryQuery,
  LONGEST_PAGE,
  type Replayed,
  type ReplayRequest,
} from './schema.ts'
import { type Delivery, listDeliveries, requeueDelivery, requeueEvents } from './store.ts'

/** What was sent to a webhook, and how it is sent once more. */

/** So many events are replayed by one request. */
const MOST_REPLAYED = 10_000
/** So often for one webhook: each may send that much. */
const LIMIT = { name: 'webhook-replay', most: 60, seconds: 3_600 }

export async function pageOfDeliveries(
  desk: Desk,
  webhookId: string,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const webhook = await getWebhook(desk, webhookId)
  const limit = Math.min(query.limit, LONGEST_PAGE)
  const rows = await listDeliveries(desk.tx, { ...query, webhookId: webhook.id, limit: limit + 1 })
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

async function countReplay({ tx }: Desk, webhookId: string): Promise<void> {
  const wait = await createLimiter(tx, LIMIT).count(webhookId)
  if (wait !== undefined) throw tooManyAttempts(wait)
}

/** Sends one event once more; one that waits for its next attempt is tried now. */
export async function replayDelivery(
  ctx: Ctx,
  desk: Desk,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<Replayed> {
  const webhook = await getWebhook(desk, webhookId)
  await countReplay(desk, webhook.id)
  const requeue = { id: deliveryId, webhookId: webhook.id, now: ctx.now() }
  if (!isId(deliveryId) || !(await requeueDelivery(desk.tx, requeue)))
    throw new AppError('DELIVERY_NOT_FOUND')
  const details = { webhookId: webhook.id, deliveryId, count: 1 }
  await record(ctx, desk.tx, { action: 'webhook.replayed', ...entryOf(desk), details })
  return { count: 1, next: null }
}

/** Sends once more what happened in a time, also what the webhook never got because it was disabled or not there yet. */
export async function replayEvents(
  ctx: Ctx,
  desk: Desk,
  webhookId: string,
  request: ReplayRequest,
): Promise<Replayed> {
  const webhook = await getWebhook(desk, webhookId)
  const { after = 0, types = ['*'] } = request
  const [from, to] = [toDate(request.from), toDate(request.to)]
  refuseProblems([
    demand(request.after !== undefined || from !== undefined, 'after', 'is required, or else from'),
    demand(!Number.isNaN(from?.getTime()), 'from', 'is no moment'),
    demand(!Number.isNaN(to?.getTime()), 'to', 'is no moment'),
    ...types.map((pattern, index) => demand(isPattern(pattern), `types.${index}`, PATTERN_RULE)),
  ])
  await countReplay(desk, webhook.id)
  const wanted = typesOf(types)
  const { count, last } = await requeueEvents(desk.tx, {
    ...{ after, from, to, limit: MOST_REPLAYED, now: ctx.now() },
    webhook: { id: webhook.id, tenantId: webhook.tenant_id },
    types: typesOf(webhook.events).filter((type) => wanted.includes(type)),
  })
  const details = { webhookId: webhook.id, count }
  await record(ctx, desk.tx, { action: 'webhook.replayed', ...entryOf(desk), details })
  return { count, next: count === MOST_REPLAYED ? (last ?? null) : null }
}

const toDate = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text)

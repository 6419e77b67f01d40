import { toEventBody } from '../../audit/event-body.ts'
import { type FeedEvent, listEvents } from '../../audit/feed.ts'
import type { Ctx } from '../../context.ts'
import type { Guard } from '../../lib/outgoing/guard.ts'
import { type Message, post, toErrorCode } from '../../lib/outgoing/post.ts'
import { VERSION } from '../../lib/version.ts'
import { createSignatureHeader, unsealActiveSecrets } from '../webhooks/secrets.ts'
import type { PendingDelivery } from './store.ts'

/** The result of one delivery attempt. */
export interface AttemptResult {
  startedAt: Date
  status: number | undefined
  /** Undefined: delivered. */
  error: string | undefined
  retryAfter?: string | undefined
}

/** Loads the event from the audit log, without personal data erased since. Undefined: retention has deleted it. */
export async function findDeliveryEvent(
  ctx: Ctx,
  { position, eventId }: PendingDelivery,
): Promise<FeedEvent | undefined> {
  const [event] = await listEvents(ctx.db, { after: position - 1, upTo: position, limit: 1 })
  return event?.id === eventId ? event : undefined
}

export async function attemptDelivery(
  ctx: Ctx,
  guard: Guard,
  delivery: PendingDelivery,
  { event, abort }: { event: FeedEvent; abort: AbortSignal },
): Promise<AttemptResult> {
  const startedAt = ctx.now()
  // Outside the try block: an internal error is not a failure of the receiver.
  const message = toMessage(ctx, delivery, event)
  try {
    const { status, retryAfter } = await post(guard, message, { stop: abort })
    const isDelivered = status >= 200 && status < 300
    return { startedAt, status, retryAfter, error: isDelivered ? undefined : `status_${status}` }
  } catch (error) {
    return {
      startedAt,
      status: undefined,
      error: toErrorCode(error, delivery.tenantId === null ? 'operator' : 'tenant'),
    }
  }
}

/** Builds the request as specified by Standard Webhooks. */
function toMessage(ctx: Ctx, delivery: PendingDelivery, event: FeedEvent): Message {
  const now = ctx.now()
  const body = JSON.stringify(toEventBody(event))
  const signed = { id: event.id, timestamp: Math.floor(now.getTime() / 1_000), body }
  return {
    url: delivery.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Latchkey/${VERSION}`,
      'webhook-id': signed.id,
      'webhook-timestamp': String(signed.timestamp),
      'webhook-signature': createSignatureHeader(unsealActiveSecrets(ctx, delivery, now), signed),
    },
  }
}

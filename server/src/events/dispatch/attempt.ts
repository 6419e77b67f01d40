import { toEventBody } from '../../audit/event-body.ts'
import { type FeedEvent, listEvents } from '../../audit/feed.ts'
import type { Ctx } from '../../context.ts'
import { VERSION } from '../../lib/version.ts'
import { liveSecrets, signatureOf } from '../webhooks/secrets.ts'
import type { Guard } from './guard.ts'
import { type Message, post, toProblem } from './post.ts'
import type { Waiting } from './store.ts'

/** What came of an attempt. */
export interface Attempt {
  startedAt: Date
  status: number | undefined
  /** Undefined: it was delivered. */
  error: string | undefined
  retryAfter?: string | undefined
}

/** The event as the log has it now, without what has been forgotten since; undefined: it is too old to be kept. */
export async function findWaitingEvent(
  ctx: Ctx,
  { position, eventId }: Waiting,
): Promise<FeedEvent | undefined> {
  const [event] = await listEvents(ctx.db, { after: position - 1, upTo: position, limit: 1 })
  return event?.id === eventId ? event : undefined
}

export async function attempt(
  ctx: Ctx,
  guard: Guard,
  waiting: Waiting,
  { event, cutOff }: { event: FeedEvent; cutOff: AbortSignal },
): Promise<Attempt> {
  const startedAt = ctx.now()
  // What goes wrong here is our own fault, and does not count against the receiver.
  const message = toMessage(ctx, waiting, event)
  try {
    const { status, retryAfter } = await post(guard, message, cutOff)
    const delivered = status >= 200 && status < 300
    return { startedAt, status, retryAfter, error: delivered ? undefined : `status_${status}` }
  } catch (error) {
    return {
      startedAt,
      status: undefined,
      error: toProblem(error, waiting.tenantId === null ? 'operator' : 'tenant'),
    }
  }
}

/** The event as Standard Webhooks has it sent. */
function toMessage(ctx: Ctx, waiting: Waiting, event: FeedEvent): Message {
  const now = ctx.now()
  const body = JSON.stringify(toEventBody(event))
  const signed = { id: event.id, timestamp: Math.floor(now.getTime() / 1_000), body }
  return {
    url: waiting.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Latchkey/${VERSION}`,
      'webhook-id': signed.id,
      'webhook-timestamp': String(signed.timestamp),
      'webhook-signature': signatureOf(liveSecrets(ctx, waiting, now), signed),
    },
  }
}

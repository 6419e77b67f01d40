import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { createGuard } from './guard.ts'
import { type Ending, leaseFrom, workOff } from './lane.ts'
import { claimLane, type Lane, postponeLane } from './store.ts'

/** Lanes that one node works on at once, and of those how many of one webhook, or of one tenant. */
const MOST_LANES = 16
const MOST_OF_ONE = 4
/** How often a node that is at work looks for more. */
const LOOK_MS = 250
/** How long an attempt under way may go on once the node stops. */
const GRACE_MS = 2_000

/** How soon a lane is looked at again when something went wrong on our own side. */
const OWN_FAULT_MS = 5_000

/** The lanes that this node works on. */
type UnderWay = Map<Promise<void>, Lane>

/**
 * Sends what waits. Every node does it, each in lanes of its own: who works on a lane says so in the database, and
 * until when, so that the lanes of a node that is killed are taken over by the others.
 */
export async function dispatch(ctx: Ctx, stop: AbortSignal): Promise<void> {
  const guard = createGuard(ctx.config.webhooks)
  const underWay: UnderWay = new Map()
  const { ending, settled } = endWithGrace(stop)
  try {
    do {
      await startLanes(ctx, underWay, (lane) => workOff(ctx, guard, lane, ending))
      if (underWay.size > 0) await Promise.race([...underWay.keys(), pause(stop)])
    } while (underWay.size > 0 && !stop.aborted)
  } finally {
    await Promise.all(underWay.keys())
    settled()
  }
}

const pause = (stop: AbortSignal) => sleep(LOOK_MS, undefined, { signal: stop }).catch(() => {})

/** Takes as many lanes as there is room for. */
async function startLanes(ctx: Ctx, underWay: UnderWay, work: (lane: Lane) => Promise<void>): Promise<void> {
  while (underWay.size < MOST_LANES) {
    const now = ctx.now()
    const claim = { holder: randomUUID(), busy: sharesInUse(underWay), now, until: leaseFrom(now) }
    const lane = await claimLane(ctx.db, claim)
    if (!lane) return
    const task: Promise<void> = work(lane)
      .catch((err: unknown) => recover(ctx, lane, err))
      .finally(() => underWay.delete(task))
    underWay.set(task, lane)
  }
}

/** What went wrong on our side is tried again soon. Where not even that can be noted, the end of the lease sees to it. */
async function recover(ctx: Ctx, lane: Lane, err: unknown): Promise<void> {
  ctx.log.warn({ err, webhookId: lane.webhookId }, 'webhook lane failed')
  await postponeLane(ctx.db, lane, new Date(ctx.now().getTime() + OWN_FAULT_MS)).catch(() => {})
}

/** Those that have as many lanes as one may have: a slow receiver does not hold up the others. */
function sharesInUse(underWay: UnderWay): string[] {
  const shares = [...underWay.values()].map(({ share }) => share)
  return [...new Set(shares)].filter((id) => shares.filter((other) => other === id).length >= MOST_OF_ONE)
}

/** Nothing new is begun once the node stops; what is under way is cut off a moment later. */
function endWithGrace(stop: AbortSignal): { ending: Ending; settled(): void } {
  const cutOff = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const begin = () => {
    timer = setTimeout(() => cutOff.abort(), GRACE_MS)
  }
  if (stop.aborted) begin()
  else stop.addEventListener('abort', begin, { once: true })
  return {
    ending: { stop, cutOff: cutOff.signal },
    settled() {
      stop.removeEventListener('abort', begin)
      clearTimeout(timer)
    },
  }
}

export const dispatchWebhooks = defineJob<AbortSignal>({
  name: 'dispatch_webhooks',
  everyMs: LOOK_MS,
  run: dispatch,
})

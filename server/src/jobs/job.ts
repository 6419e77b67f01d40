import type { Ctx } from '../context.ts'

/** Work done outside a request. It may run twice after a crash, so it must be safe to repeat. */
export interface Job<P> {
  name: string
  /** A cron pattern in UTC. Each tick runs once, on whichever node; one missed within the last hour is made up for. */
  schedule?: string
  /**
   * Done on every node, again and again, with this long between; several nodes may be at it at once. Its payload is
   * the signal to stop, for work that takes its time.
   */
  everyMs?: number
  /** It may wait long for others outside: of what is due, it is taken last, and keeps the rest waiting for one turn only. */
  isSlow?: true
  run(ctx: Ctx, payload: P): Promise<void>
}

export const defineJob = <P>(job: Job<P>): Job<P> => job

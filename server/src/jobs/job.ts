import type { Ctx } from '../context.ts'

/** Work done outside a request. It may run twice after a crash, so it must be safe to repeat. */
export interface Job<P> {
  name: string
  /** A cron pattern in UTC. Each tick runs once, on one node. A tick missed within the last hour is made up for. */
  schedule?: string
  /**
   * The pause between runs of a job that runs repeatedly on every node, possibly on several at the same time. The
   * payload is the abort signal for stopping.
   */
  everyMs?: number
  /** The subject of a change announcement after which a repeated job runs at once instead of after its pause. */
  wakeOn?: string
  /** The job waits for external systems. It has a lower priority, so that it does not delay other due jobs. */
  isSlow?: true
  run(ctx: Ctx, payload: P): Promise<void>
}

export const defineJob = <P>(job: Job<P>): Job<P> => job

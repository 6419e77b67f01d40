import type { Ctx } from '../context.ts'

/** What a command does about the service that it runs. */
export interface ServiceHooks {
  /** Before the door opens. */
  prepare(ctx: Ctx): Promise<void>
  /** Once it is open. */
  onReady(ctx: Ctx): Promise<void> | void
}

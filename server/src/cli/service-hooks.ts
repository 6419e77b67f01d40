import type { Ctx } from '../context.ts'

/** Hooks of the command that runs the service. */
export interface ServiceHooks {
  /** Called before the service listens. */
  prepare(ctx: Ctx): Promise<void>
  /** Called when the service listens. */
  onReady(ctx: Ctx): Promise<void> | void
}

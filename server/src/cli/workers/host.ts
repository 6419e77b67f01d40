import type { Config } from '../../config.ts'
import type { Ctx } from '../../context.ts'
import { connect } from '../../db/open.ts'
import { releaseAbandonedJobs } from '../../jobs/store.ts'
import { createClosers } from '../../lib/closers.ts'
import { openOn, type Prepare, prepareInstance } from '../../main.ts'

/** The instance, ready for its workers. */
export interface Host {
  ctx: Ctx
  /** Settles when a bundled database ends by itself. */
  lost: Promise<void>
  /** Closes what only the start needed. */
  rest(): Promise<void>
  /** Closes the database too. */
  close(): Promise<void>
}

/** Opens the database for all workers, and prepares what must be there once. */
export async function openHost(config: Config, prepare: Prepare): Promise<Host> {
  const closers = createClosers()
  try {
    const connection = await connect(config, 'own')
    closers.add(connection.close)
    const opened = await openOn(connection, config, { serves: false })
    closers.add(opened.close)
    await prepareInstance(opened, prepare)
    // On a bundled database nobody works yet: whatever is locked was locked by one that was killed.
    if (config.database.url === undefined) await releaseAbandonedJobs(opened.ctx.db, 0)
    return { ctx: opened.ctx, lost: connection.lost, rest: opened.close, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

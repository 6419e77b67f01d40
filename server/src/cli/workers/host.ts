import type { Config } from '../../config.ts'
import type { Ctx } from '../../context.ts'
import { connect } from '../../db/open.ts'
import { releaseAbandonedJobs } from '../../jobs/store.ts'
import { createClosers } from '../../lib/closers.ts'
import { openContextOn, type Prepare, prepareInstance } from '../../main.ts'

/** The prepared instance that the workers use. */
export interface Host {
  ctx: Ctx
  /** Resolves when a bundled database ends by itself. */
  lost: Promise<void>
  /** Closes the connections that only the start needed. */
  closeContext(): Promise<void>
  /** Closes the database too. */
  close(): Promise<void>
}

/** Opens the database for all workers and prepares the instance once. */
export async function openHost(config: Config, prepare: Prepare): Promise<Host> {
  const closers = createClosers()
  try {
    const connection = await connect(config, 'own')
    closers.add(connection.close)
    const opened = await openContextOn(connection, config, { serves: false })
    closers.add(opened.close)
    await prepareInstance(opened, prepare)
    // No worker of a bundled database runs yet, so every existing lock belongs to a killed process.
    if (config.database.url === undefined) await releaseAbandonedJobs(opened.ctx.db, 0)
    return { ctx: opened.ctx, lost: connection.lost, closeContext: opened.close, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

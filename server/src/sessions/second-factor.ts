import type { Tx } from '../db/open.ts'
import { addSessionAmr } from './store.ts'

/** A second factor was shown in a session that began without one: from now on it counts as shown. */
export const noteSecondFactor = (tx: Tx, sessionId: string, amr: string[]): Promise<void> =>
  addSessionAmr(tx, sessionId, amr)

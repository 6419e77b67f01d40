import type { Tx } from '../db/open.ts'
import { addSessionAmr } from './store.ts'

/** Adds a second factor to a session that started without one. */
export const addSecondFactorToSession = (tx: Tx, sessionId: string, amr: string[]): Promise<void> =>
  addSessionAmr(tx, sessionId, amr)

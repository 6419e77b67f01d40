import type { Db } from '../db/open.ts'
import { findLedgerMismatches } from './ledger-check-store.ts'

/** Describes every seat and subscription that differs from the ledger. */
export async function verifyLedger(db: Db): Promise<string[]> {
  return (await findLedgerMismatches(db)).map(({ subject, problem }) => `${subject}: ${problem}`)
}

import type { Db } from '../db/open.ts'
import { findContradictions } from './ledger-check/store.ts'

/** What is not as the ledger tells, in words; empty when all is. */
export async function verifyLedger(db: Db): Promise<string[]> {
  return (await findContradictions(db)).map(({ subject, what }) => `${subject}: ${what}`)
}

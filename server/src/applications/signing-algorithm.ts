import { auditKeyEvents } from '../audit/key-events.ts'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue } from '../jobs/store.ts'
import { ensureSigningKeys } from '../keys/signing-keys.ts'
import { DEFAULT_ALGORITHM, type SigningAlgorithm } from '../lib/signer.ts'
import { clearPreviousAlgorithms } from './store.ts'

/** Creates the keys that applications need and that do not exist yet. They are published before they sign. */
export const createNeededKeys = defineJob<unknown>({
  name: 'create_needed_signing_keys',
  run: (ctx) => ensureSigningKeys(ctx, auditKeyEvents(ctx, OPERATOR_SOURCE)),
})

/** Called in the transaction in which an application gets this algorithm. Key generation is too slow for it. */
export async function requestKeyFor(tx: Tx, algorithm: SigningAlgorithm): Promise<void> {
  if (algorithm !== DEFAULT_ALGORITHM) await enqueue(tx, createNeededKeys, {})
}

/** Ends the use of the algorithms that signed while applications waited for their new key. */
export const settleSigningAlgorithms = ({ db, now }: Ctx): Promise<void> => clearPreviousAlgorithms(db, now())

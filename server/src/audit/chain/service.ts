import { randomBytes } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { computeEndProof, computeLinkHash, computePersonalDigest } from './link.ts'
import { hasPending, insertLinks, lockHead, takePending, updateHead } from './store.ts'

/**
 * The audit log is a hash chain: each entry is hashed with the previous hash under a key that is stored sealed.
 * Somebody with write access to the database alone cannot change or delete an entry without breaking the chain.
 *
 * Entries are written concurrently and without locks. A job links them shortly afterwards, one after the other, on one
 * node at a time. A link gets a position only after all links before it, so that readers can continue from the last
 * position they have seen without missing an entry.
 */

const BATCH = 1_000
const SEAL = 'audit-chain'

/** Links all pending entries until the signal aborts. Entries written meanwhile are left to the next run. */
export async function extendChain(ctx: Ctx, stop?: AbortSignal): Promise<void> {
  if (!(await hasPending(ctx.db))) return
  while (!stop?.aborted && (await linkBatch(ctx)) === BATCH);
}

/** Returns the number of linked entries. */
const linkBatch = (ctx: Ctx): Promise<number> =>
  ctx.db.transaction().execute(async (tx) => {
    const head = await lockHead(tx)
    const key = head.sealed_key ? unsealChainKey(ctx, head.sealed_key) : randomBytes(32)
    let position = Number(head.position)
    let hash = head.hash
    const links = (await takePending(tx, BATCH)).map((entry) => {
      position += 1
      const personal = computePersonalDigest(key, entry)
      hash = computeLinkHash(key, hash, { position, entry, personal })
      return { position, entry_id: entry.id, tenant_id: entry.tenant_id, personal_digest: personal, hash }
    })
    if (links.length > 0) {
      await insertLinks(tx, links)
      // Sealed again each time, so that a rotated encryption key takes effect and the old one can be removed.
      const sealedKey = ctx.keys.seal(SEAL, key.toString('base64'))
      const proof = computeEndProof(key, 'head', { position, hash })
      await updateHead(tx, { position, hash, head_proof: proof, sealed_key: sealedKey })
    }
    return links.length
  })

/** Runs on every node. Nodes that wait for the lock find nothing left to link. */
export const extendAuditChain = defineJob<AbortSignal>({
  name: 'extend_audit_chain',
  everyMs: 200,
  run: extendChain,
})

/** Unseals the key of the chain. */
export const unsealChainKey = (ctx: Ctx, sealedKey: Buffer): Buffer =>
  Buffer.from(ctx.keys.unseal(SEAL, sealedKey), 'base64')

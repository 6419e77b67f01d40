import { randomBytes } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { linkHash, personalDigest, proofOf } from './link.ts'
import { hasPending, insertLinks, lockHead, takePending, updateHead } from './store.ts'

/**
 * The log is a chain: each entry is hashed together with the hash before it, under a key that lies sealed beside it.
 * Whoever can write to the database and nothing else cannot change or take out an entry without breaking it.
 *
 * Entries are written by many at once, and none waits for another: they are linked a moment later, one after the
 * other, by whichever node comes first. What is linked has a position, which only grows, and in which nothing comes
 * late: so others can read on from where they were.
 */

const BATCH = 1_000
const SEAL = 'audit-chain'

/** Links everything that has been written down so far, unless it is told to stop. What comes meanwhile has time. */
export async function extendChain(ctx: Ctx, stop?: AbortSignal): Promise<void> {
  if (!(await hasPending(ctx.db))) return
  while (!stop?.aborted && (await linkSome(ctx)) === BATCH);
}

/** How many it linked. */
const linkSome = (ctx: Ctx): Promise<number> =>
  ctx.db.transaction().execute(async (tx) => {
    const head = await lockHead(tx)
    const key = head.sealed_key ? openKey(ctx, head.sealed_key) : randomBytes(32)
    let position = Number(head.position)
    let hash = head.hash
    const links = (await takePending(tx, BATCH)).map((entry) => {
      position += 1
      const personal = personalDigest(key, entry)
      hash = linkHash(key, hash, { position, entry, personal })
      return { position, entry_id: entry.id, tenant_id: entry.tenant_id, personal_digest: personal, hash }
    })
    if (links.length > 0) {
      await insertLinks(tx, links)
      // Sealed anew each time, so that a new encryption key is in use at once and the old one can go.
      const sealedKey = ctx.keys.seal(SEAL, key.toString('base64'))
      const proof = proofOf(key, 'head', { position, hash })
      await updateHead(tx, { position, hash, head_proof: proof, sealed_key: sealedKey })
    }
    return links.length
  })

/** Every node does it, as often as this; of several at once the others find nothing left. */
export const extendAuditChain = defineJob<AbortSignal>({
  name: 'extend_audit_chain',
  everyMs: 200,
  run: extendChain,
})

/** The key of the chain, of which there is one. */
export const openKey = (ctx: Ctx, sealedKey: Buffer): Buffer =>
  Buffer.from(ctx.keys.unseal(SEAL, sealedKey), 'base64')

import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { OperatorError } from '../../errors.ts'
import { isId, NIL_ID } from '../../lib/ids.ts'
import { type ChainEnd, computeEndProof, formatChainEnd } from './link.ts'
import { unsealChainKey } from './service.ts'
import { findHead } from './store.ts'
import {
  findPending,
  listErasedEntries,
  listErasedUsers,
  listLinks,
  listLinksBeforeAnchor,
  listUnlinkedEntries,
} from './verify/store.ts'
import { checkLink, type Finding, startWalk, type Walk } from './verify/walk.ts'

/**
 * Recomputes the whole chain in batches. All reads use one snapshot, so that the service can keep running.
 */

const BATCH = 1_000

export interface VerifyOptions {
  /** A head of the chain that was kept elsewhere. */
  known: ChainEnd | undefined
  onFinding(finding: Finding): void
  onProgress(done: number, all: number): void
}

export interface VerificationResult {
  entries: number
  /** Timestamps of the first and the last entry. */
  first: string | undefined
  last: string | undefined
  /** The current head of the chain, to be kept elsewhere. */
  head: string
  /** Entries that are not linked yet and therefore not verified. */
  waiting: number
  /** The known head is older than the retained log and cannot be compared. */
  knownIsOlder: boolean
}

export const verifyChain = (ctx: Ctx, verification: VerifyOptions): Promise<VerificationResult> =>
  inSnapshot(ctx.db, (tx) => verify(ctx, tx, verification))

async function verify(ctx: Ctx, tx: Tx, { known, onFinding, onProgress }: VerifyOptions): Promise<VerificationResult> {
  const stored = await findHead(tx)
  const head = { position: Number(stored.position), hash: stored.hash }
  const anchor = { position: Number(stored.anchor_position), hash: stored.anchor_hash }
  const walk = startWalk({ key: unsealKey(ctx, stored.sealed_key), anchor, known, onFinding })
  for (;;) {
    const links = await listLinks(tx, { after: walk.position, limit: BATCH })
    for (const link of links) checkLink(walk, link)
    await checkErased(tx, walk)
    onProgress(walk.position - anchor.position, head.position - anchor.position)
    if (links.length < BATCH) break
  }
  const proofs = { head: stored.head_proof, anchor: stored.anchor_proof }
  checkEnds(walk, { head, anchor, proofs })
  await reportStrays(tx, walk, anchor)
  return {
    entries: walk.entries,
    first: walk.first,
    last: walk.last,
    head: formatChainEnd(head),
    waiting: await checkPending(tx, walk),
    knownIsOlder: known !== undefined && known.position < anchor.position,
  }
}

/** Nothing can be verified without the key. */
function unsealKey(ctx: Ctx, sealedKey: Buffer | null): Buffer | undefined {
  if (sealedKey === null) return undefined
  try {
    return unsealChainKey(ctx, sealedKey)
  } catch (error) {
    throw new OperatorError(
      'The key of the audit log cannot be opened: it was sealed with another encryption key, or altered. ' +
        'Set LATCHKEY_ENCRYPTION_KEY to the keys that the service has.',
      { cause: error },
    )
  }
}

/** Personal data may be missing only from entries of erased users. */
async function checkErased(tx: Tx, walk: Walk): Promise<void> {
  const emptied = walk.emptied.splice(0)
  const userIds = emptied.flatMap(({ userIds }) => userIds).filter(isId)
  const erased = new Set(await listErasedUsers(tx, userIds))
  const others = emptied.filter(({ userIds }) => !userIds.some((id) => erased.has(id)))
  const recorded = new Set(
    await listErasedEntries(
      tx,
      others.map(({ entryId }) => entryId),
    ),
  )
  for (const { userIds: _, ...finding } of others) {
    if (!recorded.has(finding.entryId)) walk.onFinding(finding)
  }
}

interface Ends {
  head: ChainEnd
  anchor: ChainEnd
  proofs: { head: Buffer | null; anchor: Buffer | null }
}

/** The chain must start after the stored anchor and end at the stored head. */
function checkEnds({ key, position, hash, known, onFinding }: Walk, { head, anchor, proofs }: Ends): void {
  if (position !== head.position || !hash.equals(head.hash)) {
    const what = `the chain ends at ${position}, and the head says ${head.position} or another hash`
    onFinding({ kind: 'head', what, position })
  }
  for (const [name, end] of [
    ['head', head],
    ['anchor', anchor],
  ] as const) {
    if (end.position === 0 && end.hash.length === 0) continue
    if (!key || !proofs[name]?.equals(computeEndProof(key, name, end))) {
      onFinding({
        kind: 'head',
        what: `the ${name} was not put there by the service`,
        position: end.position,
      })
    }
  }
  if (!known) return
  if (known.position > position) {
    const what = `the end is missing: the chain once reached ${known.position}`
    onFinding({ kind: 'missing', what, position: known.position })
  } else if (known.position === anchor.position && !known.hash.equals(anchor.hash)) {
    onFinding({ kind: 'altered', what: 'the hash is not the one that was kept', position: known.position })
  }
}

async function reportStrays(tx: Tx, { onFinding }: Walk, { position: anchor }: ChainEnd): Promise<void> {
  for (const { position, entry_id: entryId } of await listLinksBeforeAnchor(tx, { anchor, limit: BATCH })) {
    onFinding({ kind: 'inserted', what: 'a link before the beginning', position: Number(position), entryId })
  }
  let after = NIL_ID
  for (;;) {
    const strays = await listUnlinkedEntries(tx, { after, limit: BATCH })
    for (const { id: entryId, occurred_at } of strays) {
      onFinding({ kind: 'inserted', what: 'an entry of no link', entryId, at: occurred_at.toISOString() })
    }
    if (strays.length < BATCH) return
    after = strays.at(-1)?.id ?? after
  }
}

async function checkPending(tx: Tx, { onFinding }: Walk): Promise<number> {
  const { count, missing } = await findPending(tx)
  for (const entryId of missing) {
    onFinding({ kind: 'missing', what: 'an entry that waits to be linked is gone', entryId })
  }
  return count
}

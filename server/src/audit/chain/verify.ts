import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { startReading } from '../../db/reading.ts'
import { OperatorError } from '../../errors.ts'
import { isId, NO_ID } from '../../lib/ids.ts'
import { type End, proofOf, writeEnd } from './link.ts'
import { openKey } from './service.ts'
import { findHead } from './store.ts'
import {
  findWaiting,
  listEmptied,
  listErased,
  listLinks,
  listLinksBefore,
  listStrays,
} from './verify/store.ts'
import { begin, type Finding, followLink, type Walk } from './verify/walk.ts'

/**
 * Goes along the whole chain and computes it anew, a part at a time. Everything that is read is of one moment, so that
 * the service may go on meanwhile.
 */

const BATCH = 1_000

export interface Verification {
  /** An end of the chain that somebody kept elsewhere. */
  known: End | undefined
  onFinding(finding: Finding): void
  onProgress(done: number, all: number): void
}

export interface Verdict {
  entries: number
  /** When the first and the last of them happened. */
  first: string | undefined
  last: string | undefined
  /** Where the chain ends, to be kept elsewhere. */
  head: string
  /** Entries that are not linked yet, and so not covered. */
  waiting: number
  /** The end that was given lies before what the log has kept: it can be compared with nothing. */
  knownIsOlder: boolean
}

export const verifyChain = (ctx: Ctx, verification: Verification): Promise<Verdict> =>
  startReading(ctx.db, (tx) => verify(ctx, tx, verification))

async function verify(ctx: Ctx, tx: Tx, { known, onFinding, onProgress }: Verification): Promise<Verdict> {
  const stored = await findHead(tx)
  const head = { position: Number(stored.position), hash: stored.hash }
  const anchor = { position: Number(stored.anchor_position), hash: stored.anchor_hash }
  const walk = begin({ key: unlock(ctx, stored.sealed_key), anchor, known, onFinding })
  for (;;) {
    const links = await listLinks(tx, { after: walk.position, limit: BATCH })
    for (const link of links) followLink(walk, link)
    await judgeEmptied(tx, walk)
    onProgress(walk.position - anchor.position, head.position - anchor.position)
    if (links.length < BATCH) break
  }
  const proofs = { head: stored.head_proof, anchor: stored.anchor_proof }
  checkEnds(walk, { head, anchor, proofs })
  await findStrays(tx, walk, anchor)
  return {
    entries: walk.entries,
    first: walk.first,
    last: walk.last,
    head: writeEnd(head),
    waiting: await checkWaiting(tx, walk),
    knownIsOlder: known !== undefined && known.position < anchor.position,
  }
}

/** Without the right key nothing can be said at all. */
function unlock(ctx: Ctx, sealedKey: Buffer | null): Buffer | undefined {
  if (sealedKey === null) return undefined
  try {
    return openKey(ctx, sealedKey)
  } catch (error) {
    throw new OperatorError(
      'The key of the audit log cannot be opened: it was sealed with another encryption key, or altered. ' +
        'Set LATCHKEY_ENCRYPTION_KEY to the keys that the service has.',
      { cause: error },
    )
  }
}

/** What told who somebody was may be gone from the entries of those who were erased, and from no others. */
async function judgeEmptied(tx: Tx, walk: Walk): Promise<void> {
  const emptied = walk.emptied.splice(0)
  const people = emptied.flatMap(({ people }) => people).filter(isId)
  const erased = new Set(await listErased(tx, people))
  const others = emptied.filter(({ people }) => !people.some((id) => erased.has(id)))
  const lawful = new Set(
    await listEmptied(
      tx,
      others.map(({ entryId }) => entryId),
    ),
  )
  for (const { people: _, ...finding } of others) {
    if (!lawful.has(finding.entryId)) walk.onFinding(finding)
  }
}

interface Ends {
  head: End
  anchor: End
  proofs: { head: Buffer | null; anchor: Buffer | null }
}

/** The chain must end where the service last left it, and begin where it let go of what was too old. */
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
    if (!key || !proofs[name]?.equals(proofOf(key, name, end))) {
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

async function findStrays(tx: Tx, { onFinding }: Walk, { position: anchor }: End): Promise<void> {
  for (const { position, entry_id: entryId } of await listLinksBefore(tx, { anchor, limit: BATCH })) {
    onFinding({ kind: 'inserted', what: 'a link before the beginning', position: Number(position), entryId })
  }
  let after = NO_ID
  for (;;) {
    const strays = await listStrays(tx, { after, limit: BATCH })
    for (const { id: entryId, occurred_at } of strays) {
      onFinding({ kind: 'inserted', what: 'an entry of no link', entryId, at: occurred_at.toISOString() })
    }
    if (strays.length < BATCH) return
    after = strays.at(-1)?.id ?? after
  }
}

async function checkWaiting(tx: Tx, { onFinding }: Walk): Promise<number> {
  const { count, gone } = await findWaiting(tx)
  for (const entryId of gone) {
    onFinding({ kind: 'missing', what: 'an entry that waits to be linked is gone', entryId })
  }
  return count
}

import { type ChainEnd, computeLinkHash, computePersonalDigest, type EntryText, ERASED_PERSONAL_DATA } from '../link.ts'
import type { Link } from './store.ts'

/** A manipulation of the audit log. */
export interface Finding {
  kind: 'altered' | 'missing' | 'inserted' | 'head'
  what: string
  position?: number
  entryId?: string
  /** The timestamp of the entry. */
  at?: string
}

/** An entry without its personal data. It is a finding unless one of these users was erased. */
interface Emptied extends Finding {
  entryId: string
  userIds: string[]
}

/** The state of a verification at the current link. */
export interface Walk {
  key: Buffer | undefined
  position: number
  hash: Buffer
  /** The possible previous hashes of the next link; undefined when the previous link is missing. */
  previousHashes: Buffer[] | undefined
  known: ChainEnd | undefined
  emptied: Emptied[]
  entries: number
  first: string | undefined
  last: string | undefined
  onFinding(finding: Finding): void
}

export const startWalk = ({
  anchor,
  ...options
}: Pick<Walk, 'key' | 'known' | 'onFinding'> & { anchor: ChainEnd }): Walk => ({
  ...options,
  ...anchor,
  previousHashes: [anchor.hash],
  emptied: [],
  entries: 0,
  first: undefined,
  last: undefined,
})

/** Checks one link. Each defect is reported once, because the next link is checked against the hash stored here. */
export function checkLink(walk: Walk, link: Link): void {
  const { position, entry, hash } = link
  if (position !== walk.position + 1) {
    walk.onFinding({
      kind: 'missing',
      what: describeGap(walk.position + 1, position - 1),
      position: walk.position + 1,
    })
    walk.previousHashes = undefined
  }
  const expectedHashes = entry ? computeHashes(walk, link, entry) : []
  if (entry) checkEntry(walk, { ...link, entry }, expectedHashes)
  else walk.onFinding({ kind: 'missing', what: 'the entry is gone', position, entryId: link.entry_id })
  if (walk.known?.position === position && !walk.known.hash.equals(hash)) {
    walk.onFinding({
      kind: 'altered',
      what: 'the hash is not the one that was kept',
      position,
      entryId: link.entry_id,
    })
  }
  // If only the hash was altered, the next link was computed from the original hash.
  Object.assign(walk, {
    position,
    hash,
    previousHashes: [hash, ...expectedHashes.filter((expected) => !expected.equals(hash))],
  })
}

const describeGap = (from: number, to: number) =>
  `${to > from ? `the links ${from} to ${to} are` : 'a link is'} gone, and the one after cannot be checked`

/** The valid hashes of a link, one for each possible previous hash. */
const computeHashes = (
  { key, previousHashes = [] }: Walk,
  { position, personal_digest }: Link,
  entry: EntryText,
): Buffer[] =>
  key
    ? previousHashes.map((previous) => computeLinkHash(key, previous, { position, entry, personal: personal_digest }))
    : []

function checkEntry(walk: Walk, link: Link & { entry: EntryText }, expectedHashes: Buffer[]): void {
  const { position, entry, hash, linked_tenant_id, personal_digest } = link
  const at = `${entry.occurred_at}Z`
  walk.entries += 1
  walk.first ??= at
  walk.last = at
  const finding = {
    kind: 'altered',
    what: 'the entry or its link is not what it was',
    position,
    entryId: entry.id,
    at,
  } as const
  const hasValidHash =
    walk.key !== undefined &&
    (walk.previousHashes === undefined || expectedHashes.some((expected) => expected.equals(hash)))
  const hasValidDigest = walk.key !== undefined && computePersonalDigest(walk.key, entry).equals(personal_digest)
  if (
    !hasValidHash ||
    linked_tenant_id !== entry.tenant_id ||
    (!hasValidDigest && entry.personal !== ERASED_PERSONAL_DATA)
  ) {
    walk.onFinding(finding)
  } else if (!hasValidDigest) {
    const userIds = [entry.user_id, entry.actor_id].filter((id) => id !== null)
    const what = 'the personal data is missing, and no user was erased'
    walk.emptied.push({ ...finding, what, userIds })
  }
}

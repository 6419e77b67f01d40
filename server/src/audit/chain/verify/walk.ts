import { type End, type EntryText, linkHash, NOTHING_PERSONAL, personalDigest } from '../link.ts'
import type { Link } from './store.ts'

/** Something about the log that the service has not done. */
export interface Finding {
  kind: 'altered' | 'missing' | 'inserted' | 'head'
  what: string
  position?: number
  entryId?: string
  /** When the entry says that it happened. */
  at?: string
}

/** An entry that tells no more who it was about; whether it may not is judged by whether these were erased. */
interface Emptied extends Finding {
  entryId: string
  people: string[]
}

/** How far one has come along the chain. */
export interface Walk {
  key: Buffer | undefined
  position: number
  hash: Buffer
  /** What the next link may hang on; undefined: on something that is missing. */
  bases: Buffer[] | undefined
  known: End | undefined
  emptied: Emptied[]
  entries: number
  first: string | undefined
  last: string | undefined
  onFinding(finding: Finding): void
}

export const begin = ({
  anchor,
  ...given
}: Pick<Walk, 'key' | 'known' | 'onFinding'> & { anchor: End }): Walk => ({
  ...given,
  ...anchor,
  bases: [anchor.hash],
  emptied: [],
  entries: 0,
  first: undefined,
  last: undefined,
})

/** Takes one step. What is wrong with a link is said once: the next one is measured by what this one claims. */
export function followLink(walk: Walk, link: Link): void {
  const { position, entry, hash } = link
  if (position !== walk.position + 1) {
    walk.onFinding({
      kind: 'missing',
      what: describeGap(walk.position + 1, position - 1),
      position: walk.position + 1,
    })
    walk.bases = undefined
  }
  const claims = entry ? claimsOf(walk, link, entry) : []
  if (entry) examine(walk, { ...link, entry }, claims)
  else walk.onFinding({ kind: 'missing', what: 'the entry is gone', position, entryId: link.entry_id })
  if (walk.known?.position === position && !walk.known.hash.equals(hash)) {
    walk.onFinding({
      kind: 'altered',
      what: 'the hash is not the one that was kept',
      position,
      entryId: link.entry_id,
    })
  }
  // Where the hash alone was altered, the next one hangs on the one that it had.
  Object.assign(walk, { position, hash, bases: [hash, ...claims.filter((claim) => !claim.equals(hash))] })
}

const describeGap = (from: number, to: number) =>
  `${to > from ? `the links ${from} to ${to} are` : 'a link is'} gone, and the one after cannot be checked`

/** The hashes that the link may have, by what it may hang on. */
const claimsOf = (
  { key, bases = [] }: Walk,
  { position, personal_digest }: Link,
  entry: EntryText,
): Buffer[] =>
  key ? bases.map((base) => linkHash(key, base, { position, entry, personal: personal_digest })) : []

function examine(walk: Walk, link: Link & { entry: EntryText }, claims: Buffer[]): void {
  const { position, entry, hash, linked_tenant_id, personal_digest } = link
  const at = `${entry.occurred_at}Z`
  walk.entries += 1
  walk.first ??= at
  walk.last = at
  const finding = { kind: 'altered', what: 'the entry or its link is not what it was', position } as const
  const found = { ...finding, entryId: entry.id, at }
  const isOurs =
    walk.key !== undefined && (walk.bases === undefined || claims.some((claim) => claim.equals(hash)))
  const isPersonal = walk.key !== undefined && personalDigest(walk.key, entry).equals(personal_digest)
  if (
    !isOurs ||
    linked_tenant_id !== entry.tenant_id ||
    (!isPersonal && entry.personal !== NOTHING_PERSONAL)
  ) {
    walk.onFinding(found)
  } else if (!isPersonal) {
    const people = [entry.user_id, entry.actor_id].filter((id) => id !== null)
    const what = 'what told who it was is gone, and nobody was erased'
    walk.emptied.push({ ...found, what, people })
  }
}

import { createHmac } from 'node:crypto'

/** An entry as the chain hashes it. Every column is database text, so that parsing cannot change a value. */
export interface EntryText {
  id: string
  occurred_at: string
  action: string
  actor_kind: string
  actor_id: string | null
  client_id: string | null
  user_id: string | null
  tenant_id: string | null
  request_id: string | null
  details: string
  personal: string
}

/** The `personal` column of an entry whose personal data was erased. */
export const ERASED_PERSONAL_DATA = '{}'

/**
 * The link covers a digest of the personal data, so that the chain stays valid after that data is erased. The digest is
 * keyed, because a plain hash would let an attacker test guessed names.
 */
export const computePersonalDigest = (key: Buffer, { id, personal }: EntryText): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['personal', id, personal]))
    .digest()

/** The hash of an entry, chained to the hash of the previous link. */
export function computeLinkHash(
  key: Buffer,
  previous: Buffer,
  { position, entry, personal }: { position: number; entry: EntryText; personal: Buffer },
): Buffer {
  const { id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id, details } = entry
  const content = [
    position,
    id,
    occurred_at,
    action,
    actor_kind,
    actor_id,
    client_id,
    user_id,
    tenant_id,
    request_id,
    details,
    personal.toString('base64'),
  ]
  return createHmac('sha256', key).update(previous).update(JSON.stringify(content)).digest()
}

/** Proves that an end of the chain was written by a process that has the key. */
export const computeEndProof = (key: Buffer, end: 'head' | 'anchor', { position, hash }: ChainEnd): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([end, position, hash.toString('base64')]))
    .digest()

/** One end of the chain: the head is the last link, the anchor is the last deleted link. */
export interface ChainEnd {
  position: number
  hash: Buffer
}

/** The form that is printed and logged, so that a copy can be kept elsewhere. */
export const formatChainEnd = ({ position, hash }: ChainEnd): string => `${position}:${hash.toString('hex')}`

/** Returns undefined for invalid text. */
export function parseChainHead(text: string): ChainEnd | undefined {
  const [, position, hash] = /^(\d{1,15}):((?:[0-9a-f]{64})?)$/i.exec(text.trim()) ?? []
  return position === undefined || hash === undefined
    ? undefined
    : { position: Number(position), hash: Buffer.from(hash, 'hex') }
}

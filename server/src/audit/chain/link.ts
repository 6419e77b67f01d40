import { createHmac } from 'node:crypto'

/** An entry as the chain takes it: every column as the database writes it, so that nothing is lost in between. */
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

/** What was taken out of an entry because it told who somebody was. */
export const NOTHING_PERSONAL = '{}'

/**
 * What tells who somebody is may be taken out of an entry one day, and the chain must hold all the same: so the link
 * covers its digest. The digest takes the key, because a name that is guessed could be tried out otherwise.
 */
export const personalDigest = (key: Buffer, { id, personal }: EntryText): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['personal', id, personal]))
    .digest()

/** The hash of an entry at the end of everything before it. */
export function linkHash(
  key: Buffer,
  previous: Buffer,
  { position, entry, personal }: { position: number; entry: EntryText; personal: Buffer },
): Buffer {
  const {
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
  } = entry
  const content = [
    ...[position, id, occurred_at, action, actor_kind, actor_id, client_id, user_id, tenant_id, request_id],
    ...[details, personal.toString('base64')],
  ]
  return createHmac('sha256', key).update(previous).update(JSON.stringify(content)).digest()
}

/** Shows that whoever put an end of the chain where it is had the key. */
export const proofOf = (key: Buffer, end: 'head' | 'anchor', { position, hash }: End): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([end, position, hash.toString('base64')]))
    .digest()

/** One end of the chain: the last link, or the last of those that are gone. */
export interface End {
  position: number
  hash: Buffer
}

/** As it is printed and logged, for keeping elsewhere. */
export const writeEnd = ({ position, hash }: End): string => `${position}:${hash.toString('hex')}`

/** Undefined for what is no such text. */
export function readEnd(text: string): End | undefined {
  const [, position, hash] = /^(\d{1,15}):((?:[0-9a-f]{64})?)$/i.exec(text.trim()) ?? []
  return position === undefined || hash === undefined
    ? undefined
    : { position: Number(position), hash: Buffer.from(hash, 'hex') }
}

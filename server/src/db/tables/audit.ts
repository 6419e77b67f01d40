import type { ColumnType } from 'kysely'
import type { Fixed, Json } from './columns.ts'

export type ActorKind = 'user' | 'client' | 'system'

export interface AuditEntriesTable {
  id: Fixed<string>
  occurred_at: Fixed<Date>
  action: Fixed<string>
  actor_kind: Fixed<ActorKind>
  actor_id: Fixed<string | null>
  client_id: ColumnType<string | null, string | null | undefined, never>
  user_id: Fixed<string | null>
  tenant_id: Fixed<string | null>
  request_id: Fixed<string | null>
  details: ColumnType<Json, string, never>
  personal: ColumnType<Json, string, string>
  /** This and `ip_address` are generated from `personal`, for searches. */
  about_email: ColumnType<string | null, never, never>
  ip_address: ColumnType<string | null, never, never>
}

/** Entries that are not yet in the hash chain, in the order of insertion. Filled by a trigger. */
export interface AuditPendingTable {
  sequence: ColumnType<string, never, never>
  entry_id: ColumnType<string, never, never>
}

export interface AuditChainTable {
  position: ColumnType<string, number, never>
  entry_id: Fixed<string>
  tenant_id: Fixed<string | null>
  personal_digest: Fixed<Buffer>
  hash: Fixed<Buffer>
}

/** A table with a single row. */
export interface AuditHeadTable {
  sealed_key: Buffer | null
  position: ColumnType<string, never, number>
  hash: Buffer
  /** A MAC with the key of the chain. */
  head_proof: Buffer | null
  /** The position of the last link that was deleted because of its age. */
  anchor_position: ColumnType<string, never, number>
  anchor_hash: Buffer
  anchor_proof: Buffer | null
}

/** How far the audit log was sent to a target of AUDIT_STREAMS. */
export interface AuditStreamsTable {
  name: Fixed<string>
  position: ColumnType<string, number, number>
  /** The last position of the batch that is being sent. */
  batch_end: ColumnType<string | null, never, number | null>
  holder: ColumnType<string | null, never, string | null>
  locked_until: ColumnType<Date | null, never, Date | null>
  failures: ColumnType<number, never, number>
  retry_at: ColumnType<Date | null, never, Date | null>
  last_error: ColumnType<string | null, never, string | null>
  confirmed_at: ColumnType<Date | null, never, Date | null>
  created_at: Fixed<Date>
}

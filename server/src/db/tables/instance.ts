import type { ColumnType } from 'kysely'
import type { SigningAlgorithm } from '../../lib/signer.ts'
import type { Fixed } from './columns.ts'

export interface InstanceFactsTable {
  name: Fixed<string>
  created_at: ColumnType<Date, never, never>
}

export interface TokenKeysTable {
  kid: Fixed<string>
  algorithm: Fixed<SigningAlgorithm>
  public_jwk: ColumnType<Record<string, unknown>, string, never>
  sealed_private_key: Buffer | null
  created_at: Fixed<Date>
  activates_at: Date
}

export interface ProcessesTable {
  number: Fixed<number>
  worker: string | null
  gone_at: Date | null
}

export interface IdempotencyKeysTable {
  caller: Fixed<string>
  key: Fixed<string>
  fingerprint: Buffer
  status: number | null
  sealed_body: Buffer | null
  created_at: Date
  holder: number | null
}

export interface MailMessagesTable {
  id: Fixed<string>
  recipient: Fixed<string>
  sealed: Fixed<Buffer>
  created_at: Fixed<Date>
}

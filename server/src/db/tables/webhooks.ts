import type { ColumnType, Generated } from 'kysely'
import type { Fixed } from './columns.ts'

/** REQUESTED by a user, GONE by the status 410 of the receiver, UNREACHABLE after failed deliveries. */
export type DisabledReason = 'REQUESTED' | 'GONE' | 'UNREACHABLE'

export interface WebhooksTable {
  id: Fixed<string>
  /** Null for a webhook of the instance. */
  tenant_id: Fixed<string | null>
  url: string
  events: string[]
  description: string | null
  after_position: ColumnType<string, number, number>
  sealed_secret: Buffer
  sealed_previous_secret: ColumnType<Buffer | null, never, Buffer | null>
  previous_secret_until: ColumnType<Date | null, never, Date | null>
  disabled_at: Date | null
  disabled_reason: DisabledReason | null
  created_at: Fixed<Date>
  updated_at: Date
}

export interface WebhookCursorTable {
  position: ColumnType<string, never, number>
}

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED'

export interface WebhookDeliveriesTable {
  id: Generated<string>
  webhook_id: Fixed<string>
  tenant_id: Fixed<string | null>
  lane: Fixed<string>
  position: ColumnType<string, number, never>
  event_id: Fixed<string>
  event_type: Fixed<string>
  status: Generated<DeliveryStatus>
  attempts: Generated<number>
  first_attempt_at: Generated<Date | null>
  next_attempt_at: Generated<Date | null>
  last_status: Generated<number | null>
  last_error: Generated<string | null>
  created_at: Fixed<Date>
  finished_at: Generated<Date | null>
}

export interface WebhookLanesTable {
  webhook_id: Fixed<string>
  lane: Fixed<string>
  tenant_id: Fixed<string | null>
  due_at: Date | null
  holder: Generated<string | null>
  locked_until: Generated<Date | null>
}

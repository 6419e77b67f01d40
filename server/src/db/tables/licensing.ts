import type { ColumnType, Generated } from 'kysely'
import type { Fixed, Json } from './columns.ts'

export type LicenseTypeStatus = 'ACTIVE' | 'ARCHIVED'

export type Features = Record<string, boolean>

export interface LicenseTypesTable {
  id: Fixed<string>
  application_id: Fixed<string>
  slug: string
  name: string
  description: string | null
  features: ColumnType<Features, string, string>
  display_order: number
  status: Generated<LicenseTypeStatus>
  created_at: Fixed<Date>
  updated_at: Date
}

export type SubscriptionStatus = 'ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED'

export interface SubscriptionsTable {
  id: Fixed<string>
  tenant_id: Fixed<string>
  application_id: Fixed<string>
  license_type_id: Fixed<string>
  quantity_purchased: number
  /** Maintained by a trigger, like `quantity_reserved`. */
  quantity_assigned: ColumnType<number, never, never>
  quantity_reserved: ColumnType<number, never, never>
  tolerated: Generated<number>
  status: SubscriptionStatus
  current_period_start: Date
  current_period_end: Date | null
  lapse_noted_at: ColumnType<Date | null, never, Date | null>
  created_at: Fixed<Date>
  updated_at: Date
}

export type SeatStatus = 'ASSIGNED' | 'RESERVED' | 'PARKED'

export interface SeatsTable {
  id: Fixed<string>
  tenant_id: Fixed<string>
  user_id: Fixed<string>
  application_id: Fixed<string>
  license_type_id: string
  subscription_id: string
  status: SeatStatus
  assigned_at: Date
}

/** The reasons of ledger entries. */
export const LEDGER_REASONS = [
  'GRANTED',
  'REVOKED',
  'CHANGED',
  'RESERVED',
  'ACCEPTED',
  'SUSPENDED',
  'REACTIVATED',
  'ENDED',
  'SUBSCRIBED',
  'SUBSCRIPTION_CHANGED',
  'SUBSCRIPTION_ENDED',
] as const

/** Written by a trigger. */
export interface LicenseLedgerTable {
  tenant_id: ColumnType<string, never, never>
  sequence: ColumnType<string, never, never>
  occurred_at: ColumnType<Date, never, never>
  actor: ColumnType<string | null, never, never>
  reason: ColumnType<(typeof LEDGER_REASONS)[number], never, never>
  subject: ColumnType<'seat' | 'subscription', never, never>
  subject_id: ColumnType<string, never, never>
  user_id: ColumnType<string | null, never, never>
  application_id: ColumnType<string, never, never>
  before: ColumnType<Json | null, never, never>
  after: ColumnType<Json | null, never, never>
}

export interface LicenseRevisionsTable {
  tenant_id: ColumnType<string, never, never>
  revision: ColumnType<string, never, never>
}

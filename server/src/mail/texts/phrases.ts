import type { DisabledReason, Role } from '../../db/tables.ts'
import { translatable } from '../../languages/translate.ts'

/** The facts below the text of a mail. */
export const FACT_LABELS = {
  account: translatable('Account'),
  application: translatable('Application'),
  device: translatable('Device'),
  disabledReason: translatable('Reason'),
  erasedOn: translatable('Erased on'),
  ipAddress: translatable('IP address'),
  location: translatable('Location'),
  newAddress: translatable('New address'),
  passkey: translatable('Passkey'),
  provider: translatable('Provider'),
  reason: translatable('Reason'),
  role: translatable('Your role'),
  service: translatable('Service'),
  time: translatable('Time'),
  until: translatable('Until'),
  webhook: translatable('Webhook'),
} as const

export type FactLabel = keyof typeof FACT_LABELS

export const ROLE_NAMES: Record<Role, string> = {
  owner: translatable('Owner'),
  admin: translatable('Admin'),
  member: translatable('Member'),
}

/** Why a webhook was disabled. */
export const DISABLED_REASONS: Record<Exclude<DisabledReason, 'REQUESTED'>, string> = {
  GONE: translatable('It answered that it is gone for good (410).'),
  UNREACHABLE: translatable('No delivery has succeeded for three days.'),
}

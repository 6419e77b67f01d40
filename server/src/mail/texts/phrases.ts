import type { Role } from '../../db/tables.ts'

/** The facts below the text of a mail. */
export const FACT_LABELS = {
  account: 'Account',
  application: 'Application',
  device: 'Device',
  erasedOn: 'Erased on',
  ipAddress: 'IP address',
  location: 'Location',
  newAddress: 'New address',
  passkey: 'Passkey',
  provider: 'Provider',
  reason: 'Reason',
  role: 'Your role',
  service: 'Service',
  time: 'Time',
  until: 'Until',
  webhook: 'Webhook',
} as const

export type FactLabel = keyof typeof FACT_LABELS

/** Facts whose values people or other services choose: they are shown in quotation marks. */
export const NAME_FACTS: readonly FactLabel[] = ['account', 'passkey', 'webhook']

export const PHRASES = {
  footer: 'Sent by {{application}} at {{service}}',
  /** The inviter if a client or an operator invites. */
  unnamedInviter: 'An admin',
  device: '{{browser}} on {{system}}',
  unknownDevice: 'Unknown device',
  testSubject: 'Test: {{subject}}',
  webhookGone: 'It answered that it is gone for good (410).',
  webhookUnreachable: 'No delivery has succeeded for three days.',
} as const

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

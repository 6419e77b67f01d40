import { Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { applicationActions } from './applications.ts'
import { defineActions, Id, nullable, partialObject, SAMPLE_IDS, strictObject, withExample } from './definition.ts'
import { signingKeyActions } from './signing-keys.ts'
import { webhookActions } from './webhooks.ts'

const Text = nullable(Type.String())
const MailTexts = partialObject({ subject: Text, heading: Text, text: Text, button: Text })

/** Actions of operators. They are in the audit log only and are not sent as events. */
export const instanceActions = defineActions({
  ...applicationActions,
  ...signingKeyActions,
  ...webhookActions,
  'mail_template.changed': {
    summary: 'The text of a mail was changed for the instance. A text that is null is the default.',
    ...withExample(strictObject({ kind: Type.String(), before: MailTexts, after: MailTexts }), {
      kind: 'verify-email',
      before: { subject: null },
      after: { subject: 'Welcome to {{application}}' },
    }),
  },
  'audit.exported': {
    summary: 'The audit log of the instance or of a tenant was exported.',
    ...withExample(
      strictObject({
        format: Type.Enum(['csv', 'jsonl']),
        order: Type.Enum(['asc', 'desc']),
        filters: partialObject({
          action: Type.String(),
          actorId: Type.String(),
          userId: Id,
          tenantId: Id,
          clientId: Type.String(),
          requestId: Type.String(),
          from: Timestamp,
          to: Timestamp,
        }),
      }),
      { format: 'csv', order: 'desc', filters: { action: 'member', from: '2026-11-01T00:00:00.000Z' } },
    ),
  },
  'audit.emptied': {
    summary: 'Personal data was removed from entries that contained an address of an erased user.',
    ...withExample(strictObject({ entries: Type.Array(Id) }), { entries: [SAMPLE_IDS.entry] }),
  },
  'audit.pruned': {
    summary: 'Entries older than the retention period were deleted.',
    ...withExample(strictObject({ count: Type.Integer(), until: Timestamp }), {
      count: 1204,
      until: '2025-11-14T23:58:12.041Z',
    }),
  },
})

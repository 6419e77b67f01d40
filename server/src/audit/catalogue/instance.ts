import { Type } from 'typebox'
import { applicationKinds } from './applications.ts'
import { defineKinds, facts, Id, Moment, SAMPLE, some, telling } from './kind.ts'
import { signingKeyKinds } from './signing-keys.ts'

/** What operators do. It stays in the log: no event tells of it. */
export const instanceKinds = defineKinds({
  ...applicationKinds,
  ...signingKeyKinds,
  'webhook.created': { says: 'A webhook was set up.' },
  'webhook.changed': { says: 'A webhook was changed.' },
  'webhook.deleted': { says: 'A webhook was deleted.' },
  'webhook.secret_rotated': { says: 'A webhook was given a new secret.' },
  'webhook.replayed': { says: 'Events were sent to a webhook once more.' },
  'webhook.disabled': {
    says: 'A webhook was disabled because it could not be reached for three days, or is gone.',
  },
  'audit.exported': {
    says: 'The audit log, or that of a tenant, was exported.',
    ...telling(
      facts({
        format: Type.Enum(['csv', 'jsonl']),
        order: Type.Enum(['asc', 'desc']),
        filters: some({
          ...{ action: Type.String(), actorId: Type.String(), userId: Id, tenantId: Id },
          ...{ clientId: Type.String(), requestId: Type.String(), from: Moment, to: Moment },
        }),
      }),
      { format: 'csv', order: 'desc', filters: { action: 'member', from: '2026-11-01T00:00:00.000Z' } },
    ),
  },
  'audit.emptied': {
    says: 'Of entries that told of an address of somebody who was erased, what told who it was has been taken out.',
    ...telling(facts({ entries: Type.Array(Id) }), { entries: [SAMPLE.entry] }),
  },
  'audit.pruned': {
    says: 'Entries older than the audit log keeps were deleted.',
    ...telling(facts({ count: Type.Integer(), until: Moment }), {
      count: 1204,
      until: '2025-11-14T23:58:12.041Z',
    }),
  },
})

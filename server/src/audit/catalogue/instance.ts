import { Type } from 'typebox'
import { defineKinds, facts, Id, Moment, SAMPLE, some, telling } from './kind.ts'

/** What operators do. It stays in the log: no event tells of it. */
export const instanceKinds = defineKinds({
  'application.created': { says: 'An application was made.' },
  'application.changed': { says: 'An application was changed.' },
  'application.deleted': { says: 'An application was deleted, with its clients and licence types.' },
  'client.registered': { says: 'A client was registered.' },
  'client.changed': { says: 'A client was changed.' },
  'client.deleted': { says: 'A client was deleted.' },
  'client.secret_added': { says: 'A client was given a secret.' },
  'client.secret_ended': { says: 'A secret of a client was ended, with the tokens it obtained.' },
  'client.refused': { says: 'A client gave a wrong secret.' },
  'signing_key.created': { says: 'A key was made, which will sign tokens.' },
  'signing_key.withdrawn': { says: 'A key was withdrawn, and with it everything it has signed.' },
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

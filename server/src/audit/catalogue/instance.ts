import { defineKinds } from './kind.ts'
import { webhookKinds } from './webhooks.ts'

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
  ...webhookKinds,
  'audit.exported': { says: 'The audit log was exported.' },
  'audit.pruned': { says: 'Entries older than the audit log keeps were deleted.' },
})

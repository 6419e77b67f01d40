import { applicationKinds } from './applications.ts'
import { defineKinds } from './kind.ts'
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
  'audit.exported': { says: 'The audit log was exported.' },
  'audit.pruned': { says: 'Entries older than the audit log keeps were deleted.' },
})

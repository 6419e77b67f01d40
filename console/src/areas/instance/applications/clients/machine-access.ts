import { LatchkeyError } from '@latchkey/client/error'
import { clients as text } from '../../../../text/clients.ts'
import type { ClientDraft } from './client-draft.ts'

const ADMIN = 'admin'

/** The word to type before a machine client gets access to more than one tenant, or the scope `admin`. */
export function findConfirmation({ id, kind, tenantId, scopes, savedScopes }: ClientDraft) {
  if (kind !== 'MACHINE') return undefined
  if (scopes.includes(ADMIN) && !savedScopes.includes(ADMIN)) return text.confirmAdmin
  return id === undefined && tenantId === null ? text.confirmInstance : undefined
}

/** Throws field errors unless a person has chosen and confirmed what the machine client may do. */
export function checkMachineAccess(draft: ClientDraft, { requiresScope = false } = {}): void {
  if (draft.kind !== 'MACHINE') return
  const confirmation = findConfirmation(draft)
  const isUnchosen = draft.id === undefined && draft.tenantId === undefined
  const details = [
    ...(isUnchosen ? [{ field: 'tenantId', message: text.tenantMissing }] : []),
    ...(requiresScope && draft.scopes.length === 0 ? [{ field: 'scopes', message: text.scopesMissing }] : []),
    ...(confirmation && draft.confirmation.trim() !== confirmation.word
      ? [{ field: 'confirmation', message: text.confirmMissing(confirmation.word) }]
      : []),
  ]
  const [first] = details
  if (first) throw new LatchkeyError({ status: 422, code: 'VALIDATION_FAILED', message: first.message, details })
}

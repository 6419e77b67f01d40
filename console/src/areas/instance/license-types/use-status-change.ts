import { useQueryClient } from '@tanstack/react-query'
import { toQueryKey, useApiMutation } from '../../../api/use-api.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import type { LicenseType } from './types.ts'

const LIST = 'GET /api/licensing/license-types'

/** Archives or activates a license type with an optimistic update, which an error rolls back. */
export function useStatusChange(applicationId: string) {
  const client = useQueryClient()
  const list = toQueryKey(LIST, { query: { applicationId } })
  const updateCache = (id: string, status: LicenseType['status']) =>
    client.setQueryData<LicenseType[]>(list, (types) =>
      types?.map((type) => (type.id === id ? { ...type, status } : type)),
    )
  const change = useApiMutation('PATCH /api/licensing/license-types/{id}', { invalidates: [LIST] })
  return function setStatus(type: LicenseType, status: LicenseType['status'], isUndo = false) {
    const previous = status === 'ACTIVE' ? 'ARCHIVED' : 'ACTIVE'
    const toMessage = status === 'ACTIVE' ? text.activated : text.archived
    updateCache(type.id, status)
    change.mutate(
      { path: { id: type.id }, body: { status } },
      {
        onSuccess: () => showSuccess(toMessage(type.name), isUndo ? undefined : () => setStatus(type, previous, true)),
        onError: () => updateCache(type.id, previous),
      },
    )
  }
}

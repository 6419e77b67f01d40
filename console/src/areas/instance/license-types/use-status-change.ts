import { useQueryClient } from '@tanstack/react-query'
import { keyOf, useChange } from '../../../api/use-api.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { showDone } from '../../../ui/notices.tsx'
import type { LicenseType } from './license-types-section.tsx'

const LIST = 'GET /api/licensing/license-types'

/** Archives or activates a license type: seen at once, and taken back where it is refused. */
export function useStatusChange(applicationId: string) {
  const client = useQueryClient()
  const list = keyOf(LIST, { query: { applicationId } })
  const show = (id: string, status: LicenseType['status']) =>
    client.setQueryData<LicenseType[]>(list, (types) =>
      types?.map((type) => (type.id === id ? { ...type, status } : type)),
    )
  const change = useChange('PATCH /api/licensing/license-types/{id}', { refreshes: [LIST] })
  return function setStatus(type: LicenseType, status: LicenseType['status'], isUndo = false) {
    const former = status === 'ACTIVE' ? 'ARCHIVED' : 'ACTIVE'
    const say = status === 'ACTIVE' ? text.activated : text.archived
    show(type.id, status)
    change.mutate(
      { path: { id: type.id }, body: { status } },
      {
        onSuccess: () => showDone(say(type.name), isUndo ? undefined : () => setStatus(type, former, true)),
        onError: () => show(type.id, former),
      },
    )
  }
}

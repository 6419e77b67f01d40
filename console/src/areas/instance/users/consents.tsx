import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { userConsents } from '../../../text/consents.ts'
import { ConsentsSection, toTenantQuery } from '../../../ui/consents-section.tsx'

const LIST = 'GET /api/admin/users/{id}/consents'

/** What a user has allowed third-party applications. */
export function UserConsents({ id }: { id: string }) {
  const query = useApiQuery(LIST, { input: { path: { id } } })
  const withdraw = useApiMutation('DELETE /api/admin/users/{id}/consents/{applicationId}', { invalidates: [LIST] })
  return (
    <ConsentsSection
      text={userConsents}
      query={query}
      withdraw={(consent) =>
        withdraw.mutateAsync({ path: { id, applicationId: consent.applicationId }, query: toTenantQuery(consent) })
      }
    />
  )
}

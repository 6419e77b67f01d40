import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { ownConsents } from '../../../text/consents.ts'
import { ConsentsSection, toTenantQuery } from '../../../ui/consents-section.tsx'

const LIST = 'GET /api/users/me/consents'

/** What the user has allowed third-party applications. */
export function OwnConsents() {
  const query = useApiQuery(LIST, { input: {} })
  const withdraw = useApiMutation('DELETE /api/users/me/consents/{applicationId}', { invalidates: [LIST] })
  return (
    <ConsentsSection
      text={ownConsents}
      query={query}
      withdraw={(consent) =>
        withdraw.mutateAsync({ path: { applicationId: consent.applicationId }, query: toTenantQuery(consent) })
      }
    />
  )
}

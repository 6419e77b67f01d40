import type { Reply } from '@latchkey/client'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { toQueryKey } from '../../../api/use-api.ts'
import { type License, type LicensedApplication, SEATS, TENANT_LICENSES } from '../types.ts'

interface ApplicationScope {
  tenantId: string
  applicationId: string
}

interface SeatChange {
  userId: string
  from: License | null
  to: License | null
}

/**
 * Updates the cached seat lists and counts before the service has replied. After an error, apply the reverse change and
 * refetch: counts do not go below 0, so the reverse change alone may not restore them.
 */
export function useOptimisticSeat(scope: ApplicationScope): (change: SeatChange) => Promise<void> {
  const client = useQueryClient()
  return async (change) => {
    // Running queries would overwrite the update with old data.
    await Promise.all([SEATS, TENANT_LICENSES].map((name) => client.cancelQueries({ queryKey: [name] })))
    updateLists(client, scope, change)
    updateCounts(client, scope, change)
  }
}

function updateLists(
  client: QueryClient,
  { tenantId, applicationId }: ApplicationScope,
  { userId, to }: SeatChange,
): void {
  const isInScope = ({ queryKey }: { queryKey: readonly unknown[] }) => {
    const { path } = (queryKey[1] ?? {}) as { path?: { id?: string; applicationId?: string } }
    return path?.id === tenantId && path.applicationId === applicationId
  }
  client.setQueriesData<Reply<typeof SEATS>>(
    { queryKey: toQueryKey(SEATS), predicate: isInScope },
    (page) =>
      page && {
        ...page,
        seats: page.seats.map((member) => (member.userId === userId ? { ...member, license: to } : member)),
      },
  )
}

function updateCounts(client: QueryClient, { tenantId, applicationId }: ApplicationScope, change: SeatChange): void {
  client.setQueryData<Reply<typeof TENANT_LICENSES>>(
    toQueryKey(TENANT_LICENSES, { path: { id: tenantId } }),
    (licenses) =>
      licenses && {
        applications: licenses.applications.map((candidate) =>
          candidate.id === applicationId ? recount(candidate, change) : candidate,
        ),
      },
  )
}

function recount(application: LicensedApplication, { from, to }: SeatChange): LicensedApplication {
  const changeOf = (typeId: string) => Number(to?.licenseTypeId === typeId) - Number(from?.licenseTypeId === typeId)
  return {
    ...application,
    seats: adjust(application.seats, Number(to !== null) - Number(from !== null)),
    licenseTypes: application.licenseTypes.map((type) => adjust(type, changeOf(type.id))),
  }
}

const adjust = <T extends { assigned: number; available: number }>(counts: T, delta: number): T => ({
  ...counts,
  assigned: counts.assigned + delta,
  available: Math.max(0, counts.available - delta),
})

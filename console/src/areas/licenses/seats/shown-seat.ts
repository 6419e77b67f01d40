import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { Reply } from 'latchkey-sdk'
import { keyOf } from '../../../api/use-api.ts'
import { HOLDINGS, type License, type LicensedApplication, SEATS } from '../types.ts'

interface Place {
  tenantId: string
  applicationId: string
}

interface Swap {
  userId: string
  from: License | null
  to: License | null
}

/** Shows a seat as it is about to be, before the service has said so. The same swap the other way takes it back. */
export function useShownSeat(place: Place): (swap: Swap) => Promise<void> {
  const client = useQueryClient()
  return async (swap) => {
    // What is on its way still tells of before.
    await Promise.all([SEATS, HOLDINGS].map((name) => client.cancelQueries({ queryKey: [name] })))
    showInLists(client, place, swap)
    showInCounts(client, place, swap)
  }
}

function showInLists(client: QueryClient, { tenantId, applicationId }: Place, { userId, to }: Swap): void {
  const isOfPlace = ({ queryKey }: { queryKey: readonly unknown[] }) => {
    const { path } = (queryKey[1] ?? {}) as { path?: { id?: string; applicationId?: string } }
    return path?.id === tenantId && path.applicationId === applicationId
  }
  client.setQueriesData<Reply<typeof SEATS>>(
    { queryKey: keyOf(SEATS), predicate: isOfPlace },
    (page) =>
      page && {
        ...page,
        seats: page.seats.map((seat) => (seat.userId === userId ? { ...seat, license: to } : seat)),
      },
  )
}

function showInCounts(client: QueryClient, { tenantId, applicationId }: Place, swap: Swap): void {
  client.setQueryData<Reply<typeof HOLDINGS>>(
    keyOf(HOLDINGS, { path: { id: tenantId } }),
    (held) =>
      held && {
        applications: held.applications.map((each) =>
          each.id === applicationId ? recount(each, swap) : each,
        ),
      },
  )
}

function recount(application: LicensedApplication, { from, to }: Swap): LicensedApplication {
  const stepOf = (typeId: string) =>
    Number(to?.licenseTypeId === typeId) - Number(from?.licenseTypeId === typeId)
  return {
    ...application,
    seats: move(application.seats, Number(to !== null) - Number(from !== null)),
    licenseTypes: application.licenseTypes.map((type) => move(type, stepOf(type.id))),
  }
}

const move = <T extends { assigned: number; available: number }>(counts: T, step: number): T => ({
  ...counts,
  assigned: counts.assigned + step,
  available: Math.max(0, counts.available - step),
})

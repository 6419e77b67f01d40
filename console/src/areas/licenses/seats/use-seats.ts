import { LatchkeyError } from '@latchkey/client/error'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toQueryKey, useApiMutation } from '../../../api/use-api.ts'
import { licenses } from '../../../text/licenses.ts'
import { showError, showSuccess } from '../../../ui/notifications.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { type License, type LicensedApplication, type LicensedType, type MemberSeat, SEAT_QUERIES } from '../types.ts'
import { useOptimisticSeat } from './use-optimistic-seat.ts'

/** A request that failed because no seat is free. */
export interface SeatShortage {
  member?: MemberSeat | undefined
  type?: LicensedType | undefined
  /** The explanation after a failed request. */
  sentence?: string | undefined
}

const { seats: text, shortage: reasons } = licenses

/** Grants, changes and revokes the seats of one application, with undo. */
export function useSeats(application: LicensedApplication) {
  const { licenseTypes } = application
  const [shortage, setShortage] = useState<SeatShortage>()
  const send = useSeatChange(application.id)

  const changeSeat = async (member: MemberSeat, to: License | null): Promise<void> => {
    try {
      await send(member, to)
    } catch (error) {
      if (!isSeatShortage(error)) return showError(error)
      const type = licenseTypes.find(({ id }) => id === to?.licenseTypeId)
      return setShortage({ member, type, sentence: explain(error, to?.name ?? '') })
    }
    const undo = () => void send({ ...member, license: to }, member.license).catch(showError)
    showSuccess(describe(member, to), undo)
  }
  return {
    shortage,
    setShortage,
    grant: (member: MemberSeat, type: LicensedType) => void changeSeat(member, toLicense(type)),
    revoke: (member: MemberSeat) => void changeSeat(member, null),
  }
}

function describe({ displayName, license }: MemberSeat, to: License | null): string {
  return to ? text.given(displayName, to.name) : text.taken(displayName, license?.name ?? '')
}

/** Sends one change with an optimistic update, which an error rolls back. */
function useSeatChange(applicationId: string) {
  const tenant = useTenant()
  const client = useQueryClient()
  const updateCache = useOptimisticSeat({ tenantId: tenant.id, applicationId })
  // The caller shows errors.
  const options = { tenant: tenant.slug, invalidates: SEAT_QUERIES, onError: () => true }
  const grant = useApiMutation('POST /api/integration/licenses/grant', options)
  const change = useApiMutation('POST /api/integration/licenses/change', options)
  const revoke = useApiMutation('POST /api/integration/licenses/revoke', options)

  const request = ({ userId, license }: MemberSeat, to: License | null): Promise<unknown> => {
    if (to === null) return revoke.mutateAsync({ body: { userId, applicationId } })
    const body = { userId, applicationId, licenseTypeId: to.licenseTypeId }
    if (license !== null) return change.mutateAsync({ body })
    return grant.mutateAsync({ body, idempotencyKey: crypto.randomUUID() })
  }
  return async (member: MemberSeat, to: License | null): Promise<void> => {
    const { userId, license: from } = member
    await updateCache({ userId, from, to })
    try {
      await request(member, to)
    } catch (error) {
      await updateCache({ userId, from: to, to: from })
      for (const name of SEAT_QUERIES) void client.invalidateQueries({ queryKey: toQueryKey(name) })
      throw error
    }
  }
}

const isSeatShortage = (error: unknown): error is LatchkeyError =>
  error instanceof LatchkeyError && error.code === 'NO_SEATS_AVAILABLE'

/** Explains the error by the `reason` in its details. */
function explain({ details }: LatchkeyError, type: string): string {
  const { reason } = (details ?? {}) as { reason?: string }
  return reason === 'FULL' ? reasons.taken(type) : reasons.inactive(type)
}

const toLicense = ({ id, slug, name }: LicensedType): License => ({
  licenseTypeId: id,
  slug,
  name,
  assignedAt: new Date().toISOString(),
})

import { useQueryClient } from '@tanstack/react-query'
import { LatchkeyError } from 'latchkey-sdk/error'
import { useState } from 'react'
import { keyOf, useChange } from '../../../api/use-api.ts'
import { licenses } from '../../../text/licenses.ts'
import { showDone, showProblem } from '../../../ui/notices.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import {
  type License,
  type LicensedApplication,
  type LicensedType,
  SEAT_READINGS,
  type SeatOfMember,
} from '../types.ts'
import { useShownSeat } from './shown-seat.ts'

/** Who could not be given what, for want of a seat. */
export interface Lack {
  member?: SeatOfMember | undefined
  type?: LicensedType | undefined
  /** Why there was none, where somebody tried. */
  sentence?: string | undefined
}

const { seats: text, lack: why } = licenses

/** Gives, changes and takes back the seats of one application; what was done can be undone. */
export function useSeats(application: LicensedApplication) {
  const { licenseTypes } = application
  const [lack, setLack] = useState<Lack>()
  const send = useSending(application.id)

  const settle = async (member: SeatOfMember, to: License | null): Promise<void> => {
    try {
      await send(member, to)
    } catch (error) {
      if (!isLack(error)) return showProblem(error)
      const type = licenseTypes.find(({ id }) => id === to?.licenseTypeId)
      return setLack({ member, type, sentence: explain(error, to?.name ?? '') })
    }
    const undo = () => void send({ ...member, license: to }, member.license).catch(showProblem)
    showDone(describe(member, to), undo)
  }
  return {
    lack,
    setLack,
    give: (member: SeatOfMember, type: LicensedType) => void settle(member, toLicense(type)),
    takeBack: (member: SeatOfMember) => void settle(member, null),
  }
}

function describe({ displayName, license }: SeatOfMember, to: License | null): string {
  return to ? text.given(displayName, to.name) : text.taken(displayName, license?.name ?? '')
}

/** Sends one change, shown at once and taken back where it is refused. */
function useSending(applicationId: string) {
  const tenant = useTenant()
  const client = useQueryClient()
  const show = useShownSeat({ tenantId: tenant.id, applicationId })
  // Whoever calls says what went wrong.
  const options = { tenant: tenant.slug, refreshes: SEAT_READINGS, onProblem: () => true }
  const grant = useChange('POST /api/integration/licenses/grant', options)
  const change = useChange('POST /api/integration/licenses/change', options)
  const revoke = useChange('POST /api/integration/licenses/revoke', options)

  const request = ({ userId, license }: SeatOfMember, to: License | null): Promise<unknown> => {
    if (to === null) return revoke.mutateAsync({ body: { userId, applicationId } })
    const body = { userId, applicationId, licenseTypeId: to.licenseTypeId }
    if (license !== null) return change.mutateAsync({ body })
    return grant.mutateAsync({ body, idempotencyKey: crypto.randomUUID() })
  }
  return async (member: SeatOfMember, to: License | null): Promise<void> => {
    const { userId, license: from } = member
    await show({ userId, from, to })
    try {
      await request(member, to)
    } catch (error) {
      await show({ userId, from: to, to: from })
      for (const name of SEAT_READINGS) void client.invalidateQueries({ queryKey: keyOf(name) })
      throw error
    }
  }
}

const isLack = (error: unknown): error is LatchkeyError =>
  error instanceof LatchkeyError && error.code === 'NO_SEATS_AVAILABLE'

/** What stood in the way, as the service tells it by a word. */
function explain({ details }: LatchkeyError, type: string): string {
  const { reason } = (details ?? {}) as { reason?: string }
  return reason === 'FULL' ? why.taken(type) : why.inactive(type)
}

const toLicense = ({ id, slug, name }: LicensedType): License => ({
  licenseTypeId: id,
  slug,
  name,
  assignedAt: new Date().toISOString(),
})

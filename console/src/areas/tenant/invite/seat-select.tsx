import { Select } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { invite as text } from '../../../text/invitations.ts'
import { useTenant } from '../tenant.ts'

export interface Seat {
  applicationId: string
  licenseTypeId: string
}

/** Selects a seat to reserve for each invitation. Hidden if the tenant has no subscription. */
export function SeatSelect({
  seat,
  onChange,
  required,
}: {
  seat: Seat | undefined
  onChange: (seat: Seat | undefined) => void
  required: number
}) {
  const tenant = useTenant()
  const { data } = useApiQuery('GET /api/tenants/{id}/licenses', { input: { path: { id: tenant.id } } })
  const groups = (data?.applications ?? [])
    .filter(({ licensingMode }) => licensingMode === 'PER_SEAT')
    .map(({ id: applicationId, name, licenseTypes }) => ({
      group: name,
      seats: licenseTypes
        .filter(({ subscriptionId }) => subscriptionId !== null)
        .map((type) => ({ ...type, applicationId, licenseTypeId: type.id })),
    }))
    .filter(({ seats }) => seats.length > 0)
  const chosen = groups.flatMap(({ seats }) => seats).find(({ licenseTypeId }) => licenseTypeId === seat?.licenseTypeId)
  if (groups.length === 0) return null
  const choose = (id: string | null) =>
    onChange(groups.flatMap(({ seats }) => seats).find(({ licenseTypeId }) => licenseTypeId === id))
  return (
    <Select
      label={text.seat}
      description={text.seatHint}
      placeholder={text.noSeat}
      data={groups.map(({ group, seats }) => ({
        group,
        items: seats.map(({ licenseTypeId, name, available }) => ({
          value: licenseTypeId,
          label: text.seatOption(name, available),
          disabled: available <= 0,
        })),
      }))}
      value={seat?.licenseTypeId ?? null}
      onChange={choose}
      clearable
      error={chosen && chosen.available < required ? text.fewSeats(chosen.available) : undefined}
    />
  )
}

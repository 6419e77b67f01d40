import { Button, Group, NumberInput, Select, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { invite as text } from '../../../text/invitations.ts'
import { roles } from '../../../text/roles.ts'
import { shell } from '../../../text/shell.ts'
import { type Role, reachOf } from '../reach.ts'
import { useTenant } from '../tenant.ts'
import { type Pasted, readAddresses } from './read-addresses.ts'
import { type Seat, SeatSelect } from './seat-select.tsx'
import type { Wish } from './use-invite.ts'

const SHOWN_UNCLEAR = 5
const LONGEST_DAYS = 90

/** Whom to invite, as what, for how long. */
export function InviteForm({
  pasted,
  setPasted,
  onCancel,
  onSend,
}: {
  pasted: string
  setPasted: (text: string) => void
  onCancel: () => void
  onSend: (wish: Wish) => void
}) {
  const tenant = useTenant()
  const [role, setRole] = useState<Role>('member')
  const [days, setDays] = useState<number | string>(7)
  const [seat, setSeat] = useState<Seat>()
  const read = readAddresses(pasted)
  const { addresses } = read
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const { applicationId = '', licenseTypeId = '' } = seat ?? {}
        onSend({
          addresses,
          role,
          expiresInDays: Number(days) || 7,
          ...(seat && { seat: { applicationId, licenseTypeId } }),
        })
      }}
    >
      <Stack>
        <Textarea
          label={text.addresses}
          description={text.addressesHint}
          value={pasted}
          onChange={(event) => setPasted(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={10}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <Understood read={read} />
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <Select
            label={text.role}
            description={roles.what[role]}
            inputWrapperOrder={['label', 'input', 'description']}
            data={reachOf(tenant.role).map((value) => ({ value, label: roles[value] }))}
            value={role}
            onChange={(value) => value && setRole(value)}
            allowDeselect={false}
          />
          <NumberInput
            label={text.days}
            value={days}
            onChange={setDays}
            min={1}
            max={LONGEST_DAYS}
            allowDecimal={false}
            maw={{ xs: 160 }}
          />
        </Group>
        <SeatSelect seat={seat} onChange={setSeat} wanted={addresses.length} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
          <Button type="submit" disabled={addresses.length === 0}>
            {text.send(addresses.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Understood({ read: { addresses, unclear, repeated } }: { read: Pasted }) {
  const shown = unclear.slice(0, SHOWN_UNCLEAR).join(', ')
  const rest = unclear.length - SHOWN_UNCLEAR
  return (
    <Text size="sm" c="dimmed" aria-live="polite" mt={-8}>
      {text.understood(addresses.length)}
      {repeated > 0 && ` ${text.twice(repeated)}`}
      {unclear.length > 0 && (
        <Text span inherit c="var(--mantine-color-error)">
          {` ${text.unclear(unclear.length)} ${shown}${rest > 0 ? ` ${text.andMore(rest)}` : ''}`}
        </Text>
      )}
    </Text>
  )
}

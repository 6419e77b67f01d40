import { Button, Group, NumberInput, Select, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { invite as text } from '../../../text/invitations.ts'
import { roles } from '../../../text/roles.ts'
import { shell } from '../../../text/shell.ts'
import { manageableRoles, type Role } from '../roles.ts'
import { useTenant } from '../tenant.ts'
import { type ParsedAddresses, parseAddresses } from './parse-addresses.ts'
import { type Seat, SeatSelect } from './seat-select.tsx'
import type { InviteRequest } from './use-invite.ts'

const MAX_INVALID_SHOWN = 5
const MAX_DAYS = 90

/** The addresses, role, validity and seat of the invitations. */
export function InviteForm({
  pasted,
  setPasted,
  onCancel,
  onSend,
}: {
  pasted: string
  setPasted: (text: string) => void
  onCancel: () => void
  onSend: (request: InviteRequest) => void
}) {
  const tenant = useTenant()
  const [role, setRole] = useState<Role>('member')
  const [days, setDays] = useState<number | string>(7)
  const [seat, setSeat] = useState<Seat>()
  const parsed = parseAddresses(pasted)
  const { addresses } = parsed
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
        <ParsedSummary parsed={parsed} />
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <Select
            label={text.role}
            description={roles.what[role]}
            inputWrapperOrder={['label', 'input', 'description']}
            data={manageableRoles(tenant.role).map((value) => ({ value, label: roles[value] }))}
            value={role}
            onChange={(value) => value && setRole(value)}
            allowDeselect={false}
          />
          <NumberInput
            label={text.days}
            value={days}
            onChange={setDays}
            min={1}
            max={MAX_DAYS}
            allowDecimal={false}
            maw={{ xs: 160 }}
          />
        </Group>
        <SeatSelect seat={seat} onChange={setSeat} required={addresses.length} />
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

function ParsedSummary({ parsed: { addresses, invalid, duplicates } }: { parsed: ParsedAddresses }) {
  const listed = invalid.slice(0, MAX_INVALID_SHOWN).join(', ')
  const rest = Math.max(invalid.length - MAX_INVALID_SHOWN, 0)
  return (
    <Text size="sm" c="dimmed" aria-live="polite" mt={-8}>
      {text.understood(addresses.length)}
      {duplicates > 0 && ` ${text.twice(duplicates)}`}
      {invalid.length > 0 && (
        <Text span inherit c="var(--mantine-color-error)">
          {` ${text.invalid(invalid.length, listed, rest)}`}
        </Text>
      )}
    </Text>
  )
}

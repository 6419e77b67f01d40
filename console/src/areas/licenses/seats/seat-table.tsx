import { Checkbox, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMe } from '../../../me.tsx'
import { licenses } from '../../../text/licenses.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Person } from '../../../ui/person.tsx'
import { toDay } from '../../../ui/time.tsx'
import type { LicensedApplication, SeatOfMember } from '../types.ts'
import { SeatMenu } from './seat-menu.tsx'
import type { useSeats } from './use-seats.ts'
import type { Selection } from './use-selection.ts'

const { seats: text, bulk } = licenses

interface SeatTableProps {
  application: LicensedApplication
  rows: SeatOfMember[]
  busy: boolean
  empty: ReactNode
  /** For those who may change something. */
  seats?: ReturnType<typeof useSeats>
  selection?: Selection
}

/** People and what they hold; oneself comes first on a page, the others by name. */
export function SeatTable({ application, rows, busy, empty, seats, selection }: SeatTableProps) {
  const { profile } = useMe()
  const isMe = ({ userId }: SeatOfMember) => userId === profile.id
  const sorted = [...rows.filter(isMe), ...rows.filter((row) => !isMe(row))]
  const columns: Column<SeatOfMember>[] = [
    {
      title: text.person,
      cell: (member) => (
        <Group gap="sm" wrap="nowrap" miw={0}>
          {selection && (
            <Checkbox
              aria-label={bulk.person(member.displayName)}
              checked={selection.has(member)}
              onChange={(event) => selection.toggle([member], event.currentTarget.checked)}
            />
          )}
          <Person name={member.displayName} email={member.email} mark={isMe(member) ? text.you : undefined} />
        </Group>
      ),
    },
    {
      title: text.license,
      cell: ({ license }) =>
        license ? (
          <Text size="sm" fw={600}>
            {license.name}
          </Text>
        ) : (
          <Text size="sm" c="dimmed">
            {text.noLicense}
          </Text>
        ),
    },
  ]
  if (application.licensingMode === 'PER_SEAT') {
    columns.push({
      title: text.since,
      wideOnly: true,
      cell: ({ license }) => (
        <Text size="sm" c="dimmed">
          {license ? toDay(license.assignedAt) : text.dash}
        </Text>
      ),
    })
  }
  if (seats) {
    columns.push({
      title: text.action,
      actions: true,
      cell: (member) => (
        <SeatMenu
          member={member}
          types={application.licenseTypes}
          onGive={(type) => seats.give(member, type)}
          onTakeBack={() => seats.takeBack(member)}
          onLack={() => seats.setLack({ member })}
        />
      ),
    })
  }
  return (
    <DataTable
      label={text.title}
      rows={sorted}
      keyOf={({ userId }) => userId}
      busy={busy}
      empty={empty}
      columns={columns}
    />
  )
}

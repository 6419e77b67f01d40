import { Checkbox, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMe } from '../../../me.tsx'
import { licenses } from '../../../text/licenses.ts'
import { type Column, DataTable, type Sorting } from '../../../ui/data-table.tsx'
import { Person } from '../../../ui/person.tsx'
import { formatDate } from '../../../ui/time.tsx'
import type { LicensedApplication, MemberSeat } from '../types.ts'
import { SeatMenu } from './seat-menu.tsx'
import type { useSeats } from './use-seats.ts'
import type { Selection } from './use-selection.ts'

const { seats: text, bulk } = licenses

interface SeatTableProps {
  application: LicensedApplication
  rows: MemberSeat[]
  busy: boolean
  empty: ReactNode
  sorting: Sorting
  /** Only for owners and admins. */
  seats?: ReturnType<typeof useSeats>
  selection?: Selection
}

/** Members with their licenses. The signed-in user comes first. */
export function SeatTable({ application, rows, busy, empty, sorting, seats, selection }: SeatTableProps) {
  const { profile } = useMe()
  const isMe = ({ userId }: MemberSeat) => userId === profile.id
  const sorted = [...rows.filter(isMe), ...rows.filter((row) => !isMe(row))]
  const columns: Column<MemberSeat>[] = [
    {
      title: text.person,
      sort: { ascending: 'displayName', descending: '-displayName' },
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
          {license ? formatDate(license.assignedAt) : text.dash}
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
          onGrant={(type) => seats.grant(member, type)}
          onRevoke={() => seats.revoke(member)}
          onShortage={() => seats.setShortage({ member })}
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
      sorting={sorting}
    />
  )
}

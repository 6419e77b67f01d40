import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../../api/use-api.ts'
import { licenses } from '../../../text/licenses.ts'
import { Pager } from '../../../ui/pager.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { type LicensedApplication, leftOf, SEATS } from '../types.ts'
import { BulkBar } from './bulk-bar.tsx'
import { BulkResults } from './bulk-results.tsx'
import { showOfType, useSeatFilter, WITH, WITHOUT } from './filter.ts'
import { NoSeats, NoSeatsBanner } from './no-seats.tsx'
import { SeatTable } from './seat-table.tsx'
import { useBulk } from './use-bulk.ts'
import { useSeats } from './use-seats.ts'
import { useSelection } from './use-selection.ts'

const { seats: text } = licenses

/** Everybody in the tenant, and what they hold of one application. */
export function SeatList({ application }: { application: LicensedApplication }) {
  const tenant = useTenant()
  const { id: applicationId, licenseTypes: types, licensingMode } = application
  const manages = tenant.runs && licensingMode === 'PER_SEAT'
  const filter = useSeatFilter(types)
  const query = useRead(SEATS, { input: { path: { id: tenant.id, applicationId }, query: filter.query } })
  const page = query.data?.seats ?? []
  const selection = useSelection(page)
  const seats = useSeats(application)
  const bulk = useBulk(applicationId, selection.clear)
  const [visits, setVisits] = useState(0)
  const showOnly = (show: string) => {
    filter.set({ show, search: null })
    // The search box begins anew, empty.
    setVisits(visits + 1)
    seats.setLack(undefined)
  }
  return (
    <Stack component="section" gap="sm" aria-labelledby="people">
      <div>
        <Title order={2} size="h4" id="people">
          {text.title}
        </Title>
        <Text size="sm" c="dimmed">
          {text.lead}
        </Text>
      </div>
      {manages && types.every((type) => leftOf(type) === 0) && (
        <NoSeatsBanner application={application.name} onAsk={() => seats.setLack({})} />
      )}
      <Group gap="sm">
        <SearchBox
          key={visits}
          label={text.search}
          value={filter.search}
          onSearch={(search) => filter.set({ search })}
        />
        <ShowSelect application={application} show={filter.show} onShow={(show) => filter.set({ show })} />
      </Group>
      {manages && (
        <BulkBar
          page={page}
          selection={selection}
          types={types}
          busy={bulk.busy}
          onGive={(type) => void bulk.give(selection.chosen, type)}
          onTakeBack={() => void bulk.takeBack(selection.chosen)}
        />
      )}
      <Loaded query={query} height={56}>
        {({ seats: rows, pagination }) => (
          <>
            <SeatTable
              application={application}
              rows={rows}
              busy={query.isPlaceholderData}
              empty={<NobodyFound show={filter.show} onEveryone={() => showOnly('')} />}
              {...(manages && { seats, selection })}
            />
            <Pager pagination={pagination} onPage={(to) => filter.set({ page: to })} />
          </>
        )}
      </Loaded>
      <NoSeats
        lack={seats.lack}
        application={application}
        onClose={() => seats.setLack(undefined)}
        onShowHolders={() => showOnly(seats.lack?.type ? showOfType(seats.lack.type) : WITH)}
        onGive={seats.give}
      />
      <BulkResults outcome={bulk.outcome} onClose={bulk.closeOutcome} />
    </Stack>
  )
}

/** Who is shown; where everybody has the same there is nothing to choose by. */
function ShowSelect({
  application: { licensingMode, licenseTypes },
  show,
  onShow,
}: {
  application: LicensedApplication
  show: string
  onShow: (show: string) => void
}) {
  if (licensingMode !== 'PER_SEAT') return null
  const EVERYONE = 'everyone'
  return (
    <Select
      aria-label={text.show}
      allowDeselect={false}
      value={show === '' ? EVERYONE : show}
      onChange={(chosen) => onShow(chosen === EVERYONE ? '' : (chosen ?? ''))}
      data={[
        { value: EVERYONE, label: text.everyone },
        { value: WITH, label: text.with },
        { value: WITHOUT, label: text.without },
        ...licenseTypes.map((type) => ({ value: showOfType(type), label: text.withType(type.name) })),
      ]}
      w={{ base: '100%', xs: 220 }}
    />
  )
}

function NobodyFound({ show, onEveryone }: { show: string; onEveryone: () => void }) {
  const title = show === WITH ? text.nobodyYet : show === WITHOUT ? text.allServed : text.nobody
  return (
    <Empty
      icon="users"
      title={title}
      text={text.nobodyText}
      action={
        <Button variant="light" onClick={onEveryone}>
          {text.everyoneAgain}
        </Button>
      }
    />
  )
}

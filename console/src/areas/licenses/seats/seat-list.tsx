import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { licenses } from '../../../text/licenses.ts'
import { Pager } from '../../../ui/pager.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { grantableSeats, type LicensedApplication, SEATS } from '../types.ts'
import { BulkBar } from './bulk-bar.tsx'
import { BulkResults } from './bulk-results.tsx'
import { showValueOf, useSeatFilter, WITH, WITHOUT } from './filter.ts'
import { NoSeats, NoSeatsBanner } from './no-seats.tsx'
import { SeatTable } from './seat-table.tsx'
import { useBulk } from './use-bulk.ts'
import { useMatching } from './use-matching.ts'
import { useSeats } from './use-seats.ts'
import { useSelection } from './use-selection.ts'

const { seats: text } = licenses

/** All members of the tenant with their license of one application. */
export function SeatList({ application }: { application: LicensedApplication }) {
  const tenant = useTenant()
  const { id: applicationId, licenseTypes: types, licensingMode } = application
  const canManage = tenant.canManage && licensingMode === 'PER_SEAT'
  const filter = useSeatFilter(types)
  const query = useApiQuery(SEATS, { input: { path: { id: tenant.id, applicationId }, query: filter.query } })
  const page = query.data?.seats ?? []
  const selection = useSelection({ members: page, seenAt: query.dataUpdatedAt })
  const seats = useSeats(application)
  const matching = useMatching({ tenantId: tenant.id, applicationId, query: filter.matching })
  const bulk = useBulk(applicationId, selection.clear)
  const showOnly = (show: string) => {
    filter.set({ show, search: null })
    seats.setShortage(undefined)
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
      {canManage && types.every((type) => grantableSeats(type) === 0) && (
        <NoSeatsBanner application={application.name} onAsk={() => seats.setShortage({})} />
      )}
      <Group gap="sm">
        <SearchBox label={text.search} value={filter.search} onSearch={(search) => filter.set({ search })} />
        <ShowSelect application={application} show={filter.show} onShow={(show) => filter.set({ show })} />
      </Group>
      {canManage && (
        <BulkBar
          page={page}
          selection={selection}
          matching={matching}
          types={types}
          busy={bulk.busy}
          total={query.data?.pagination.total ?? 0}
          onGrant={(type) => bulk.grant(selection.selected, type)}
          onRevoke={() => bulk.revoke(selection.selected, page)}
        />
      )}
      <QueryContent query={query} skeletonHeight={56}>
        {({ seats: rows, pagination }) => (
          <>
            <SeatTable
              application={application}
              rows={rows}
              busy={query.isPlaceholderData}
              sorting={filter.sorting}
              empty={<NobodyFound show={filter.show} onEveryone={() => showOnly('')} />}
              {...(canManage && { seats, selection })}
            />
            <Pager pagination={pagination} onPage={filter.onPage} onLimit={filter.onLimit} />
          </>
        )}
      </QueryContent>
      <NoSeats
        shortage={seats.shortage}
        application={application}
        onClose={() => seats.setShortage(undefined)}
        onShowHolders={() => showOnly(seats.shortage?.type ? showValueOf(seats.shortage.type) : WITH)}
        onGrant={seats.grant}
      />
      {bulk.dialog}
      <BulkResults outcome={bulk.outcome} onClose={bulk.closeOutcome} />
    </Stack>
  )
}

/** Filters by license. Hidden if all members have the same license. */
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
        ...licenseTypes.map((type) => ({ value: showValueOf(type), label: text.withType(type.name) })),
      ]}
      w={{ base: '100%', xs: 220 }}
    />
  )
}

function NobodyFound({ show, onEveryone }: { show: string; onEveryone: () => void }) {
  const title = show === WITH ? text.nobodyYet : show === WITHOUT ? text.allServed : text.nobody
  return (
    <EmptyState
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

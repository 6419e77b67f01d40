import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useApiQuery } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { Filter, toFlag } from '../kit/filter.tsx'
import { NameLink } from '../kit/name-link.tsx'
import { NewTenantDialog } from './new-tenant.tsx'
import { TenantStatusBadge } from './tenant-status-badge.tsx'
import type { AdminTenant } from './types.ts'

const ORDERS = ['-createdAt', 'name', 'slug'] as const

const COLUMNS: Column<AdminTenant>[] = [
  {
    title: text.name,
    sort: { ascending: 'name' },
    cell: ({ id, name, slug }) => <NameLink href={`/tenants/${id}`} name={name} note={slug} />,
  },
  { title: text.members, cell: ({ memberCount }) => formatNumber(memberCount) },
  { title: text.status, cell: ({ suspended }) => <TenantStatusBadge suspended={suspended} /> },
  { title: text.created, sort: { descending: '-createdAt' }, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

/** All tenants of the instance. */
export function TenantsPage() {
  const { values, page, limit, set, sortBy, onPage, onLimit } = useFilters(['search', 'suspended'])
  const sorting = sortBy(ORDERS)
  const [isNew, { open, close }] = useDisclosure()
  const suspended = toFlag(values.suspended)
  const query = useApiQuery('GET /api/admin/tenants', {
    input: {
      query: {
        page,
        limit,
        sort: sorting.value,
        ...(values.search !== '' && { search: values.search }),
        ...(suspended !== undefined && { suspended }),
      },
    },
  })
  const createButton = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.new.button}
    </Button>
  )
  const isFiltered = values.search !== '' || suspended !== undefined
  return (
    <Page title={text.title} lead={text.lead} actions={createButton}>
      <Group gap="sm">
        <SearchBox label={text.search} value={values.search} onSearch={(search) => set({ search })} />
        <Filter
          label={text.filter.label}
          value={values.suspended}
          options={text.filter.options}
          onChange={(value) => set({ suspended: value })}
        />
      </Group>
      <QueryContent query={query} skeletonRows={6} skeletonHeight={56}>
        {({ tenants, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={tenants}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={isFiltered ? <NoMatch /> : <EmptyState icon="building" {...text.none} action={createButton} />}
              columns={COLUMNS}
              sorting={sorting}
            />
            <Pager pagination={pagination} onPage={onPage} onLimit={onLimit} />
          </>
        )}
      </QueryContent>
      <NewTenantDialog opened={isNew} onClose={close} />
    </Page>
  )
}

const NoMatch = () => <EmptyState icon="search" title={text.noMatch.title} text={text.noMatch.text} />

import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRead } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { Filter, toFlag } from '../kit/filter.tsx'
import { Named } from '../kit/named.tsx'
import { NewTenantDialog } from './new-tenant.tsx'
import { TenantState } from './state.tsx'
import type { AnyTenant } from './tenant.tsx'

const SORTS = ['-createdAt', 'name', 'slug'] as const

const COLUMNS: Column<AnyTenant>[] = [
  {
    title: text.name,
    cell: ({ id, name, slug }) => <Named href={`/tenants/${id}`} name={name} note={slug} />,
  },
  { title: text.members, cell: ({ memberCount }) => memberCount.toLocaleString() },
  { title: text.state, cell: ({ suspended }) => <TenantState suspended={suspended} /> },
  { title: text.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
]

/** All tenants of the instance. */
export function TenantsPlace() {
  const { values, page, set } = useFilters(['search', 'suspended', 'sort'])
  const [isNew, { open, close }] = useDisclosure()
  const suspended = toFlag(values.suspended)
  const query = useRead('GET /api/admin/tenants', {
    input: {
      query: {
        page,
        sort: SORTS.find((sort) => sort === values.sort) ?? '-createdAt',
        ...(values.search !== '' && { search: values.search }),
        ...(suspended !== undefined && { suspended }),
      },
    },
  })
  const begin = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.new.button}
    </Button>
  )
  const isFiltered = values.search !== '' || suspended !== undefined
  return (
    <Page title={text.title} lead={text.lead} actions={begin}>
      <Group gap="sm">
        <SearchBox label={text.search} value={values.search} onSearch={(search) => set({ search })} />
        <Filter
          label={text.filter.label}
          value={values.suspended}
          options={text.filter.options}
          onChange={(chosen) => set({ suspended: chosen })}
        />
        <Filter
          label={text.sort.label}
          value={values.sort}
          options={text.sort.options}
          onChange={(sort) => set({ sort })}
        />
      </Group>
      <Loaded query={query} rows={6} height={56}>
        {({ tenants, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={tenants}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={isFiltered ? <NoMatch /> : <Empty icon="building" {...text.none} action={begin} />}
              columns={COLUMNS}
            />
            <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
          </>
        )}
      </Loaded>
      <NewTenantDialog opened={isNew} onClose={close} />
    </Page>
  )
}

const NoMatch = () => <Empty icon="search" title={text.noMatch.title} text={text.noMatch.text} />

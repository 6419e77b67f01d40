import type { Reply } from '@latchkey/client'
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useApiQuery } from '../../../api/use-api.ts'
import { users as text } from '../../../text/users.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Person } from '../../../ui/person.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { Filter } from '../kit/filter.tsx'
import { NewUserDialog } from './new-user.tsx'
import { UserStatusBadges } from './user-status-badges.tsx'

type UserSummary = Reply<'GET /api/admin/users'>['users'][number]

const ORDERS = ['-createdAt', 'createdAt', 'email', '-email'] as const

/** The query parameters of each filter option. */
const FILTERS = {
  superAdmin: { superAdmin: true },
  disabled: { disabled: true },
  unverified: { emailVerified: false },
  deleting: { deletionRequested: true },
}

const COLUMNS: Column<UserSummary>[] = [
  {
    title: text.name,
    sort: { ascending: 'email', descending: '-email' },
    cell: ({ id, displayName, email }) => <Person href={`/users/${id}`} name={displayName} email={email} />,
  },
  { title: text.status, cell: (user) => <UserStatusBadges user={user} /> },
  { title: text.lastSignIn, cell: ({ lastSignInAt }) => <RelativeTime at={lastSignInAt} /> },
  {
    title: text.created,
    sort: { ascending: 'createdAt', descending: '-createdAt' },
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    wideOnly: true,
  },
]

/** All users of the instance. */
export function UsersPage() {
  const { values, page, limit, set, sortBy, onPage, onLimit } = useFilters(['search', 'show'])
  const sorting = sortBy(ORDERS)
  const [isNew, { open, close }] = useDisclosure()
  const filter = Object.entries(FILTERS).find(([name]) => name === values.show)?.[1]
  const query = useApiQuery('GET /api/admin/users', {
    input: {
      query: {
        page,
        limit,
        sort: sorting.value,
        ...(values.search !== '' && { search: values.search }),
        ...filter,
      },
    },
  })
  const createButton = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.new.button}
    </Button>
  )
  const isFiltered = values.search !== '' || filter !== undefined
  return (
    <Page title={text.title} lead={text.lead} actions={createButton}>
      <Group gap="sm">
        <SearchBox label={text.search} value={values.search} onSearch={(search) => set({ search })} />
        <Filter {...text.filter} value={values.show} onChange={(show) => set({ show })} />
      </Group>
      <QueryContent query={query} skeletonRows={6} skeletonHeight={56}>
        {({ users, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={users}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={
                isFiltered ? (
                  <EmptyState icon="search" {...text.noMatch} />
                ) : (
                  <EmptyState icon="users" {...text.none} action={createButton} />
                )
              }
              columns={COLUMNS}
              sorting={sorting}
            />
            <Pager pagination={pagination} onPage={onPage} onLimit={onLimit} />
          </>
        )}
      </QueryContent>
      <NewUserDialog opened={isNew} onClose={close} />
    </Page>
  )
}

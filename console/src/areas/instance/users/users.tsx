import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Reply } from 'latchkey-sdk'
import { useRead } from '../../../api/use-api.ts'
import { people as text } from '../../../text/people.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Person } from '../../../ui/person.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { Filter } from '../kit/filter.tsx'
import { NewUserDialog } from './new-user.tsx'
import { UserStates } from './states.tsx'

type AnyUser = Reply<'GET /api/admin/users'>['users'][number]

const SORTS = ['-createdAt', 'createdAt', 'email', '-email'] as const

/** What each choice asks for. */
const SHOWN = {
  superAdmin: { superAdmin: true },
  disabled: { disabled: true },
  unverified: { emailVerified: false },
  deleting: { deletionRequested: true },
}

const COLUMNS: Column<AnyUser>[] = [
  {
    title: text.name,
    cell: ({ id, displayName, email }) => <Person href={`/users/${id}`} name={displayName} email={email} />,
  },
  { title: text.state, cell: (user) => <UserStates user={user} /> },
  { title: text.lastSignIn, cell: ({ lastSignInAt }) => <Moment at={lastSignInAt} /> },
  { title: text.created, cell: ({ createdAt }) => <Moment at={createdAt} />, wideOnly: true },
]

/** Everybody who has an account. */
export function UsersPlace() {
  const { values, page, set } = useFilters(['search', 'show', 'sort'])
  const [isNew, { open, close }] = useDisclosure()
  const shown = Object.entries(SHOWN).find(([name]) => name === values.show)?.[1]
  const query = useRead('GET /api/admin/users', {
    input: {
      query: {
        page,
        sort: SORTS.find((sort) => sort === values.sort) ?? '-createdAt',
        ...(values.search !== '' && { search: values.search }),
        ...shown,
      },
    },
  })
  const begin = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.new.button}
    </Button>
  )
  const isFiltered = values.search !== '' || shown !== undefined
  return (
    <Page title={text.title} lead={text.lead} actions={begin}>
      <Group gap="sm">
        <SearchBox label={text.search} value={values.search} onSearch={(search) => set({ search })} />
        <Filter {...text.filter} value={values.show} onChange={(show) => set({ show })} />
        <Filter {...text.sort} value={values.sort} onChange={(sort) => set({ sort })} />
      </Group>
      <Loaded query={query} rows={6} height={56}>
        {({ users, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={users}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={
                isFiltered ? (
                  <Empty icon="search" {...text.noMatch} />
                ) : (
                  <Empty icon="users" {...text.none} action={begin} />
                )
              }
              columns={COLUMNS}
            />
            <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
          </>
        )}
      </Loaded>
      <NewUserDialog opened={isNew} onClose={close} />
    </Page>
  )
}

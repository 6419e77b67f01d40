import { Anchor, Button, Code, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useApiQuery } from '../../../api/use-api.ts'
import { applications as text } from '../../../text/applications.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { RegistrationTokensSection } from './registration/registration-tokens-section.tsx'

const ORDERS = ['name', '-name', 'slug', '-slug', 'createdAt', '-createdAt'] as const

export function ApplicationsPage() {
  const { values, page, limit, set, sortBy, onPage, onLimit } = useFilters(['search'])
  const sorting = sortBy(ORDERS)
  const { search } = values
  const query = useApiQuery('GET /api/admin/applications', {
    input: { query: { page, limit, sort: sorting.value, ...(search !== '' && { search }) } },
  })
  return (
    <Page title={text.title} lead={text.lead} actions={<CreateButton />}>
      <Group>
        <SearchBox label={text.search} value={search} onSearch={(typed) => set({ search: typed })} />
      </Group>
      <QueryContent query={query}>
        {({ applications, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={applications}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={
                search === '' ? (
                  <EmptyState icon="grid" title={text.none.title} text={text.none.text} action={<CreateButton />} />
                ) : (
                  <EmptyState icon="search" title={text.noMatch.title} text={text.noMatch.text} />
                )
              }
              sorting={sorting}
              columns={[
                {
                  title: text.name,
                  sort: { ascending: 'name', descending: '-name' },
                  cell: ({ id, name }) => (
                    <Anchor component={Link} href={`/applications/${id}`} fw={600}>
                      {name}
                    </Anchor>
                  ),
                },
                {
                  title: text.slug,
                  sort: { ascending: 'slug', descending: '-slug' },
                  cell: ({ slug }) => <Code>{slug}</Code>,
                },
                {
                  title: text.licensing,
                  cell: ({ licensingMode }) => <Text size="sm">{text.modes[licensingMode].label}</Text>,
                },
                {
                  title: text.ownership,
                  cell: ({ trusted }) => <Tag>{trusted ? text.trusted : text.thirdParty}</Tag>,
                },
                {
                  title: text.created,
                  sort: { ascending: 'createdAt', descending: '-createdAt' },
                  cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
                  wideOnly: true,
                },
              ]}
            />
            <Pager pagination={pagination} onPage={onPage} onLimit={onLimit} />
          </>
        )}
      </QueryContent>
      <RegistrationTokensSection />
    </Page>
  )
}

const CreateButton = () => (
  <Button component={Link} href="/applications/new" leftSection={<Icon name="plus" size={16} />}>
    {text.create}
  </Button>
)

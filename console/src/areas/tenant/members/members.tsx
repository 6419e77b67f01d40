import { useRead } from '../../../api/use-api.ts'
import { members as text } from '../../../text/members.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { useTenant } from '../tenant.ts'

export function MembersPlace() {
  const tenant = useTenant()
  const { page, set } = useFilters(['search', 'role', 'status'])
  const query = useRead('GET /api/tenants/{id}/members', {
    input: { path: { id: tenant.id }, query: { page } },
  })
  return (
    <Page title={text.title} lead={text.lead(tenant.name)}>
      <Loaded query={query}>
        {({ members, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={members}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={<Empty icon="users" title={text.nobody} />}
              columns={[
                { title: text.name, cell: ({ user }) => user.displayName },
                { title: text.role, cell: ({ role }) => role },
                { title: text.joined, cell: ({ joinedAt }) => <Moment at={joinedAt} /> },
              ]}
            />
            <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

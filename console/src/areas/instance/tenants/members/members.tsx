import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useApiQuery } from '../../../../api/use-api.ts'
import { useMe } from '../../../../me.tsx'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import { DataTable } from '../../../../ui/data-table.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { MemberBadge } from '../../../../ui/member-badge.tsx'
import { Pager } from '../../../../ui/pager.tsx'
import { Person } from '../../../../ui/person.tsx'
import { SearchBox } from '../../../../ui/search-box.tsx'
import { Section } from '../../../../ui/section.tsx'
import { EmptyState, QueryContent } from '../../../../ui/states.tsx'
import { RelativeTime } from '../../../../ui/time.tsx'
import { useFilters } from '../../../../ui/use-filters.ts'
import { Filter } from '../../kit/filter.tsx'
import type { AdminTenant } from '../types.ts'
import { AddMemberDialog } from './add-member.tsx'
import { MemberActions } from './member-actions.tsx'
import { RoleSelect } from './role-select.tsx'
import { SupportDialog } from './support-dialog.tsx'
import type { AdminMember } from './types.ts'
import { type MemberListInput, ROLES, useMemberHandlers } from './use-member-handlers.tsx'

const ORDERS = ['joinedAt', '-joinedAt'] as const
const STATUSES = ['ACTIVE', 'INVITED', 'SUSPENDED'] as const

/** The members of a tenant with their actions. */
export function TenantMembers({ tenant }: { tenant: AdminTenant }) {
  const { id } = tenant
  const { profile } = useMe()
  const [acting, setActing] = useState<AdminMember>()
  const { values, page, limit, set, sortBy, onPage, onLimit } = useFilters(['search', 'role', 'status'])
  const sorting = sortBy(ORDERS)
  const [isAdding, { open, close }] = useDisclosure()
  const role = ROLES.find((name) => name === values.role)
  const status = STATUSES.find((name) => name === values.status)
  const input: MemberListInput = {
    path: { id },
    query: {
      page,
      limit,
      sort: sorting.value,
      ...(values.search !== '' && { search: values.search }),
      ...(role && { role }),
      ...(status && { status }),
    },
  }
  const query = useApiQuery('GET /api/admin/tenants/{id}/members', { input })
  const handlers = useMemberHandlers(id, input)
  const isFiltered = values.search !== '' || role !== undefined || status !== undefined
  const add = (
    <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {text.add.button}
    </Button>
  )
  return (
    <Section title={text.title} lead={text.lead} actions={add}>
      <Stack>
        <Group gap="sm">
          <SearchBox label={text.search} value={values.search} onSearch={(search) => set({ search })} />
          <Filter {...text.roleFilter} value={values.role} onChange={(value) => set({ role: value })} />
          <Filter {...text.statusFilter} value={values.status} onChange={(value) => set({ status: value })} />
        </Group>
        <QueryContent query={query} skeletonRows={4} skeletonHeight={56}>
          {({ members, pagination }) => (
            <>
              <DataTable
                label={text.title}
                rows={members}
                keyOf={(member) => member.id}
                busy={query.isPlaceholderData}
                empty={<EmptyState {...(isFiltered ? text.noMatch : text.none)} icon="users" />}
                sorting={sorting}
                columns={[
                  {
                    title: text.name,
                    cell: ({ userId, user, status }) => (
                      // Invited members may have no account yet.
                      <Person
                        {...(status !== 'INVITED' && { href: `/users/${userId}` })}
                        name={user.displayName}
                        email={user.email}
                      />
                    ),
                  },
                  { title: text.role, cell: (member) => <RoleSelect member={member} handlers={handlers} /> },
                  {
                    title: text.status,
                    cell: ({ status }) => <MemberBadge status={status} />,
                  },
                  {
                    title: text.joined,
                    sort: { ascending: 'joinedAt', descending: '-joinedAt' },
                    cell: ({ joinedAt }) => <RelativeTime at={joinedAt} />,
                    wideOnly: true,
                  },
                  {
                    title: text.actions,
                    actions: true,
                    cell: (member) => (
                      <MemberActions
                        member={member}
                        handlers={handlers}
                        onAct={tenant.supportAccess && member.userId !== profile.id ? setActing : undefined}
                      />
                    ),
                  },
                ]}
              />
              <Pager pagination={pagination} onPage={onPage} onLimit={onLimit} />
            </>
          )}
        </QueryContent>
      </Stack>
      {handlers.dialog}
      <SupportDialog key={acting?.id} tenant={tenant} member={acting} onClose={() => setActing(undefined)} />
      <AddMemberDialog tenantId={id} opened={isAdding} onClose={close} />
    </Section>
  )
}

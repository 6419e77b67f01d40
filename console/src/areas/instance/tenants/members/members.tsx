import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Reply } from 'latchkey-sdk'
import { useRead } from '../../../../api/use-api.ts'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import { DataTable } from '../../../../ui/data-table.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { MemberBadge } from '../../../../ui/member-badge.tsx'
import { Pager } from '../../../../ui/pager.tsx'
import { Person } from '../../../../ui/person.tsx'
import { SearchBox } from '../../../../ui/search-box.tsx'
import { Section } from '../../../../ui/section.tsx'
import { Empty, Loaded } from '../../../../ui/states.tsx'
import { Moment } from '../../../../ui/time.tsx'
import { useFilters } from '../../../../ui/use-filters.ts'
import { Filter } from '../../kit/filter.tsx'
import type { AnyTenant } from '../tenant.tsx'
import { AddMemberDialog } from './add-member.tsx'
import { MemberActions } from './member-actions.tsx'
import { RoleChoice } from './role-choice.tsx'
import { type MemberReading, ROLES, useMemberDeeds } from './use-member-deeds.tsx'

export type AnyMember = Reply<'GET /api/admin/tenants/{id}/members'>['members'][number]

const STATUSES = ['ACTIVE', 'INVITED', 'SUSPENDED'] as const

/** Who is in a tenant, and what may be done about it. */
export function TenantMembers({ tenant: { id } }: { tenant: AnyTenant }) {
  const { values, page, set } = useFilters(['search', 'role', 'status'])
  const [isAdding, { open, close }] = useDisclosure()
  const role = ROLES.find((name) => name === values.role)
  const status = STATUSES.find((name) => name === values.status)
  const input: MemberReading = {
    path: { id },
    query: {
      page,
      ...(values.search !== '' && { search: values.search }),
      ...(role && { role }),
      ...(status && { status }),
    },
  }
  const query = useRead('GET /api/admin/tenants/{id}/members', { input })
  const deeds = useMemberDeeds(id, input)
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
          <Filter {...text.roleFilter} value={values.role} onChange={(chosen) => set({ role: chosen })} />
          <Filter
            {...text.statusFilter}
            value={values.status}
            onChange={(chosen) => set({ status: chosen })}
          />
        </Group>
        <Loaded query={query} rows={4} height={56}>
          {({ members, pagination }) => (
            <>
              <DataTable
                label={text.title}
                rows={members}
                keyOf={(member) => member.id}
                busy={query.isPlaceholderData}
                empty={<Empty {...(isFiltered ? text.noMatch : text.none)} icon="users" />}
                columns={[
                  {
                    title: text.name,
                    cell: ({ userId, user, status }) => (
                      // Who is INVITED has no account that the list could lead to.
                      <Person
                        {...(status !== 'INVITED' && { href: `/users/${userId}` })}
                        name={user.displayName}
                        email={user.email}
                      />
                    ),
                  },
                  { title: text.role, cell: (member) => <RoleChoice member={member} deeds={deeds} /> },
                  {
                    title: text.status,
                    cell: ({ status }) => <MemberBadge status={status} />,
                  },
                  { title: text.joined, cell: ({ joinedAt }) => <Moment at={joinedAt} />, wideOnly: true },
                  {
                    title: text.actions,
                    actions: true,
                    cell: (member) => <MemberActions member={member} deeds={deeds} />,
                  },
                ]}
              />
              <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
            </>
          )}
        </Loaded>
      </Stack>
      {deeds.dialog}
      <AddMemberDialog tenantId={id} opened={isAdding} onClose={close} />
    </Section>
  )
}

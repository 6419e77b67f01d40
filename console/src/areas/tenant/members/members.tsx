import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useApiQuery } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { invitations } from '../../../text/invitations.ts'
import { members as text } from '../../../text/members.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MemberBadge } from '../../../ui/member-badge.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Person } from '../../../ui/person.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { InviteDialog } from '../invite/lazy-invite-dialog.tsx'
import { useTenant } from '../tenant.ts'
import { MemberActions } from './member-actions.tsx'
import { MemberFilters, toMemberQuery } from './member-filters.tsx'
import { RoleCell } from './role-cell.tsx'
import type { Member } from './use-member-change.ts'

const ORDERS = ['joinedAt', '-joinedAt'] as const

export function MembersPage() {
  const tenant = useTenant()
  const { profile } = useMe()
  const { values, page, limit, set, sortBy, onPage, onLimit } = useFilters(['search', 'role', 'status'])
  const sorting = sortBy(ORDERS)
  const [isInviting, { open: invite, close }] = useDisclosure()
  const [dialog, ask] = useConfirm()
  // A new key remounts the filter fields with empty values.
  const [filterKey, setFilterKey] = useState(0)
  const clear = () => {
    set({ search: null, role: null, status: null })
    setFilterKey((key) => key + 1)
  }
  const query = useApiQuery('GET /api/tenants/{id}/members', {
    input: { path: { id: tenant.id }, query: { page, limit, sort: sorting.value, ...toMemberQuery(values) } },
  })
  const columns: Column<Member>[] = [
    {
      title: text.name,
      cell: ({ user, userId }) => (
        <Person name={user.displayName} email={user.email} mark={userId === profile.id ? text.you : undefined} />
      ),
    },
    { title: text.role, cell: (member) => <RoleCell member={member} ask={ask} /> },
    {
      title: text.status,
      cell: ({ status }) => <MemberBadge status={status} />,
    },
    {
      title: text.joined,
      sort: { ascending: 'joinedAt', descending: '-joinedAt' },
      cell: ({ joinedAt }) => (joinedAt === null ? text.notYet : <RelativeTime at={joinedAt} />),
    },
    {
      title: text.actions,
      actions: true,
      cell: (member) => <MemberActions member={member} ask={ask} />,
    },
  ]
  return (
    <Page
      title={text.title}
      lead={text.lead(tenant.name)}
      {...(tenant.canManage && {
        actions: (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={invite}>
            {invitations.invite}
          </Button>
        ),
      })}
    >
      <MemberFilters key={filterKey} values={values} set={set} />
      <QueryContent query={query} skeletonRows={6} skeletonHeight={58}>
        {({ members, pagination }) => (
          <>
            <DataTable
              label={text.title}
              rows={members}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={<NobodyFound clear={clear} />}
              columns={columns}
              sorting={sorting}
            />
            <Pager pagination={pagination} onPage={onPage} onLimit={onLimit} />
          </>
        )}
      </QueryContent>
      {dialog}
      {isInviting && <InviteDialog onClose={close} />}
    </Page>
  )
}

const NobodyFound = ({ clear }: { clear: () => void }) => (
  <EmptyState
    icon="users"
    title={text.nobody}
    text={text.nobodyText}
    action={
      <Button variant="light" onClick={clear}>
        {text.clear}
      </Button>
    }
  />
)

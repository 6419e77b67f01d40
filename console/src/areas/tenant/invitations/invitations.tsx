import { Button, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { invitations as text } from '../../../text/invitations.ts'
import { roles } from '../../../text/roles.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { EmptyState, QueryContent } from '../../../ui/states.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { InviteDialog } from '../invite/lazy-invite-dialog.tsx'
import { useTenant } from '../tenant.ts'
import { InvitationActions } from './invitation-actions.tsx'
import { type Invitation, type InvitationStatus, useInvitationPage } from './use-invitation-page.ts'

const STATUSES: InvitationStatus[] = ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED']

export function InvitationsPage() {
  const tenant = useTenant()
  const { values, page, set } = useFilters(['status'])
  const status = STATUSES.find((candidate) => candidate === values.status) ?? 'PENDING'
  const [isInviting, { open: openInviteDialog, close: closeInviteDialog }] = useDisclosure()
  const [confirmDialog, ask] = useConfirm()
  const { query, pagination } = useInvitationPage(tenant.id, status, page)
  const inviteButton = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={openInviteDialog}>
      {text.invite}
    </Button>
  )
  const columns: Column<Invitation>[] = [
    { title: text.email, cell: ({ email }) => email },
    { title: text.role, cell: ({ role }) => roles[role] },
    { title: text.invitedBy, cell: ({ invitedBy }) => invitedBy?.displayName ?? text.deletedUser },
    { title: text.sent, cell: ({ createdAt }) => <RelativeTime at={createdAt} />, wideOnly: true },
    ...(status === 'PENDING' || status === 'EXPIRED'
      ? [
          {
            title: status === 'PENDING' ? text.expires : text.expired,
            cell: ({ expiresAt }: Invitation) => <RelativeTime at={expiresAt} />,
          },
        ]
      : []),
    ...(status === 'PENDING'
      ? [
          {
            title: text.actions,
            actions: true,
            cell: (invitation: Invitation) => <InvitationActions invitation={invitation} ask={ask} />,
          },
        ]
      : []),
  ]
  return (
    <Page title={text.title} lead={text.lead(tenant.name)} actions={inviteButton}>
      <SegmentedControl
        aria-label={text.filter}
        data={STATUSES.map((value) => ({ value, label: text.status[value] }))}
        value={status}
        onChange={(value) => set({ status: value === 'PENDING' ? null : value })}
        w={{ base: '100%', xs: 'max-content' }}
      />
      <QueryContent query={query} skeletonRows={5} skeletonHeight={52}>
        {({ invitations }) => (
          <>
            <DataTable
              label={text.title}
              rows={invitations}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={
                <EmptyState
                  icon="mail"
                  {...text.empty[status]}
                  {...(status === 'PENDING' && {
                    action: (
                      <Button variant="light" onClick={openInviteDialog}>
                        {text.invite}
                      </Button>
                    ),
                  })}
                />
              }
              columns={columns}
            />
            <Pager pagination={pagination} onPage={(to) => set({ page: to })} />
          </>
        )}
      </QueryContent>
      {confirmDialog}
      {isInviting && <InviteDialog onClose={closeInviteDialog} />}
    </Page>
  )
}

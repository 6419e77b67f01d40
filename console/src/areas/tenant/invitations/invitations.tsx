import { Button, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { invitations as text } from '../../../text/invitations.ts'
import { roles } from '../../../text/roles.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { InviteDialog } from '../invite/invite-dialog.tsx'
import { useTenant } from '../tenant.ts'
import { InvitationActions } from './invitation-actions.tsx'
import { type Invitation, type InvitationStatus, useInvitationPage } from './use-invitation-page.ts'

const STATUSES: InvitationStatus[] = ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED']

export function InvitationsPlace() {
  const tenant = useTenant()
  const { values, page, set } = useFilters(['status'])
  const status = STATUSES.find((known) => known === values.status) ?? 'PENDING'
  const [inviting, { open: invite, close }] = useDisclosure()
  const [dialog, ask] = useConfirm()
  const { query, pagination } = useInvitationPage(tenant.id, status, page)
  const empty = text.empty[status]
  const button = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={invite}>
      {text.invite}
    </Button>
  )
  const columns: Column<Invitation>[] = [
    { title: text.email, cell: ({ email }) => email },
    { title: text.role, cell: ({ role }) => roles[role] },
    { title: text.invitedBy, cell: ({ invitedBy }) => invitedBy?.displayName ?? text.nobody },
    { title: text.sent, cell: ({ createdAt }) => <Moment at={createdAt} />, wideOnly: true },
    ...(status === 'PENDING' || status === 'EXPIRED'
      ? [
          {
            title: status === 'PENDING' ? text.expires : text.expired,
            cell: ({ expiresAt }: Invitation) => <Moment at={expiresAt} />,
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
    <Page title={text.title} lead={text.lead(tenant.name)} actions={button}>
      <SegmentedControl
        aria-label={text.filter}
        data={STATUSES.map((value) => ({ value, label: text.status[value] }))}
        value={status}
        transitionDuration={0}
        onChange={(value) => set({ status: value === 'PENDING' ? null : value })}
        w={{ base: '100%', xs: 'max-content' }}
      />
      <Loaded query={query} rows={5} height={52}>
        {({ invitations }) => (
          <>
            <DataTable
              label={text.title}
              rows={invitations}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              empty={
                <Empty
                  icon="mail"
                  title={empty.title}
                  {...(empty.text !== '' && { text: empty.text })}
                  {...(status === 'PENDING' && {
                    action: (
                      <Button variant="light" onClick={invite}>
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
      </Loaded>
      {dialog}
      {inviting && <InviteDialog onClose={close} />}
    </Page>
  )
}

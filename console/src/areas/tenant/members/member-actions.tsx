import { ActionIcon, Menu } from '@mantine/core'
import { useLocation } from 'wouter'
import { useApiMutation } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { members as text } from '../../../text/members.ts'
import type { Ask } from '../../../ui/confirm.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { RowMenu } from '../../../ui/row-menu.tsx'
import { manageableRoles } from '../roles.ts'
import { useTenant } from '../tenant.ts'
import { useLeave } from './use-leave.ts'
import { type Member, useMemberChange } from './use-member-change.ts'

interface ActionsProps {
  member: Member
  ask: Ask
}

/** The actions menu of a member. Hidden without permission. */
export function MemberActions({ member, ask }: ActionsProps) {
  const tenant = useTenant()
  const { profile } = useMe()
  const isSelf = member.userId === profile.id
  const mayChange = manageableRoles(tenant.role).includes(member.role)
  if (!mayChange && !isSelf) return null
  return (
    <RowMenu
      target={
        <ActionIcon
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          aria-label={text.more(member.user.displayName)}
        >
          <Icon name="dots" />
        </ActionIcon>
      }
    >
      <Items member={member} ask={ask} isSelf={isSelf} mayChange={mayChange} />
    </RowMenu>
  )
}

function Items({ member, ask, isSelf, mayChange }: ActionsProps & { isSelf: boolean; mayChange: boolean }) {
  const [, navigate] = useLocation()
  const leave = useLeave(ask)
  return (
    <>
      {member.status === 'INVITED' ? (
        <Menu.Item leftSection={<Icon name="mail" size={16} />} onClick={() => navigate('/invitations')}>
          {text.seeInvitation}
        </Menu.Item>
      ) : (
        mayChange && <StatusItem member={member} ask={ask} isSelf={isSelf} />
      )}
      {isSelf ? (
        <Menu.Item color="red" leftSection={<Icon name="out" size={16} />} onClick={() => leave(member.id)}>
          {text.leave.action}
        </Menu.Item>
      ) : (
        member.status !== 'INVITED' && <RemoveItem member={member} ask={ask} />
      )}
    </>
  )
}

/** Suspends or reactivates a member, with undo unless it is the user's own membership. */
function StatusItem({ member, ask, isSelf }: ActionsProps & { isSelf: boolean }) {
  const tenant = useTenant()
  const change = useMemberChange(tenant.id)
  const name = member.user.displayName
  const setStatus = async (status: 'ACTIVE' | 'SUSPENDED') => {
    await change.mutateAsync({ member, change: { status } })
    if (isSelf) return
    const previous = status === 'ACTIVE' ? 'SUSPENDED' : 'ACTIVE'
    showSuccess(status === 'ACTIVE' ? text.reactivated(name) : text.suspended(name), () =>
      change.mutate({ member: { ...member, status }, change: { status: previous } }),
    )
  }
  if (member.status === 'SUSPENDED') {
    return (
      <Menu.Item leftSection={<Icon name="play" size={16} />} onClick={() => void setStatus('ACTIVE').catch(() => {})}>
        {text.reactivate}
      </Menu.Item>
    )
  }
  const suspend = () =>
    isSelf ? ask(text.suspendSelf, () => setStatus('SUSPENDED')) : void setStatus('SUSPENDED').catch(() => {})
  return (
    <Menu.Item leftSection={<Icon name="cross" size={16} />} onClick={suspend}>
      {text.suspend}
    </Menu.Item>
  )
}

function RemoveItem({ member, ask }: ActionsProps) {
  const tenant = useTenant()
  const name = member.user.displayName
  const remove = useApiMutation('DELETE /api/tenants/{id}/members/{membershipId}', {
    invalidates: ['GET /api/tenants/{id}/members', 'GET /api/tenants'],
    onSuccess: () => showSuccess(text.remove.done(name)),
  })
  const question = {
    title: text.remove.title(name),
    text: text.remove.text(name, tenant.name),
    action: text.remove.confirm,
  }
  return (
    <Menu.Item
      c="var(--mantine-color-error)"
      leftSection={<Icon name="trash" size={16} />}
      onClick={() => ask(question, () => remove.mutateAsync({ path: { id: tenant.id, membershipId: member.id } }))}
    >
      {text.remove.action}
    </Menu.Item>
  )
}

import { ActionIcon, Menu } from '@mantine/core'
import { supportAccess } from '../../../../text/support-access.ts'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import { Icon } from '../../../../ui/icon.tsx'
import { RowMenu } from '../../../../ui/row-menu.tsx'
import type { AdminMember } from './types.ts'
import type { MemberHandlers } from './use-member-handlers.tsx'

interface Props {
  member: AdminMember
  handlers: MemberHandlers
  /** Undefined: the tenant does not allow support access. */
  onAct: ((member: AdminMember) => void) | undefined
}

export function MemberActions({ member, handlers, onAct }: Props) {
  const isSuspended = member.status === 'SUSPENDED'
  return (
    <RowMenu
      target={
        <ActionIcon variant="default" aria-label={text.actionsFor(member.user.displayName)}>
          <Icon name="dots" />
        </ActionIcon>
      }
    >
      {onAct && member.status === 'ACTIVE' && (
        <Menu.Item leftSection={<Icon name="user" size={16} />} onClick={() => onAct(member)}>
          {supportAccess.act}
        </Menu.Item>
      )}
      {member.status !== 'INVITED' && (
        <Menu.Item
          leftSection={<Icon name={isSuspended ? 'play' : 'clock'} size={16} />}
          onClick={() => handlers.setStatus(member, isSuspended ? 'ACTIVE' : 'SUSPENDED')}
        >
          {isSuspended ? text.reactivate : text.suspend}
        </Menu.Item>
      )}
      <Menu.Item color="red" leftSection={<Icon name="trash" size={16} />} onClick={() => handlers.remove(member)}>
        {text.remove.action}
      </Menu.Item>
    </RowMenu>
  )
}

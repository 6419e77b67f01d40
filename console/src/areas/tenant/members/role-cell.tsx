import { Text } from '@mantine/core'
import { useMe } from '../../../me.tsx'
import { members as text } from '../../../text/members.ts'
import { roles } from '../../../text/roles.ts'
import type { Ask } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { RowSelect } from '../../../ui/row-select.tsx'
import { manageableRoles, type Role } from '../roles.ts'
import { useTenant } from '../tenant.ts'
import { type Member, useMemberChange } from './use-member-change.ts'

/** The role of a member, editable with permission. */
export function RoleCell({ member, ask }: { member: Member; ask: Ask }) {
  const tenant = useTenant()
  const { profile } = useMe()
  const change = useMemberChange(tenant.id)
  const manageable = manageableRoles(tenant.role)
  const { role, status, user } = member
  if (!manageable.includes(role) || status === 'INVITED') return <Text size="sm">{roles[role]}</Text>
  const changeRole = async (newRole: Role) => {
    await change.mutateAsync({ member, change: { role: newRole } })
    showSuccess(text.roleChanged(user.displayName, roles.as[newRole]), () =>
      change.mutate({ member: { ...member, role: newRole }, change: { role } }),
    )
  }
  const choose = (newRole: Role) => {
    if (newRole === role) return
    const { title, action } = text.ownRole
    if (member.userId === profile.id) {
      ask({ title, action, text: text.ownRole.text(roles.as[newRole]) }, () =>
        change.mutateAsync({ member, change: { role: newRole } }),
      )
    } else void changeRole(newRole).catch(() => {})
  }
  return (
    <RowSelect
      label={text.roleOf(user.displayName)}
      options={manageable.map((value) => ({ value, label: roles[value] }))}
      value={role}
      onChange={choose}
    />
  )
}

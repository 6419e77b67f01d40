import { Select, Text } from '@mantine/core'
import { useMe } from '../../../me.tsx'
import { members as text } from '../../../text/members.ts'
import { roles } from '../../../text/roles.ts'
import type { Question } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { type Role, reachOf } from '../reach.ts'
import { useTenant } from '../tenant.ts'
import { type Member, useMemberChange } from './use-member-change.ts'

/** The role of a member; to choose from where one may. */
export function RoleCell({
  member,
  ask,
}: {
  member: Member
  ask: (question: Question, deed: () => Promise<unknown>) => void
}) {
  const tenant = useTenant()
  const { profile } = useMe()
  const change = useMemberChange(tenant.id)
  const reach = reachOf(tenant.role)
  const { role, status, user } = member
  if (!reach.includes(role) || status === 'INVITED') return <Text size="sm">{roles[role]}</Text>
  const give = async (wanted: Role) => {
    await change.mutateAsync({ member, change: { role: wanted } })
    showDone(text.roleChanged(user.displayName, roles.as[wanted]), () =>
      change.mutate({ member: { ...member, role: wanted }, change: { role } }),
    )
  }
  const choose = (wanted: Role | null) => {
    if (wanted === null || wanted === role) return
    const { title, action } = text.ownRole
    if (member.userId === profile.id) {
      ask({ title, action, text: text.ownRole.text(roles.as[wanted]) }, () =>
        change.mutateAsync({ member, change: { role: wanted } }),
      )
    } else void give(wanted).catch(() => {})
  }
  return (
    <Select
      aria-label={text.roleOf(user.displayName)}
      data={reach.map((value) => ({ value, label: roles[value] }))}
      value={role}
      onChange={choose}
      allowDeselect={false}
      size="xs"
      w={120}
      comboboxProps={{ width: 140, position: 'bottom-start' }}
    />
  )
}

import { Select } from '@mantine/core'
import { roles } from '../../../../text/roles.ts'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import type { AnyMember } from './members.tsx'
import { type MemberDeeds, ROLES } from './use-member-deeds.tsx'

/** The role of a member, there to be changed. Of who is only invited, the invitation says it. */
export function RoleChoice({ member, deeds }: { member: AnyMember; deeds: MemberDeeds }) {
  if (member.status === 'INVITED') return roles[member.role]
  return (
    <Select
      aria-label={text.roleOf(member.user.displayName)}
      data={ROLES.map((value) => ({ value, label: roles[value] }))}
      value={member.role}
      onChange={(role) => role !== null && role !== member.role && deeds.setRole(member, role)}
      allowDeselect={false}
      size="xs"
      w={120}
    />
  )
}

import { roles } from '../../../../text/roles.ts'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import { RowSelect } from '../../../../ui/row-select.tsx'
import type { AdminMember } from './types.ts'
import { type MemberHandlers, ROLES } from './use-member-handlers.tsx'

/** The editable role of a member. The role of an invited member comes from the invitation. */
export function RoleSelect({ member, handlers }: { member: AdminMember; handlers: MemberHandlers }) {
  if (member.status === 'INVITED') return roles[member.role]
  return (
    <RowSelect
      label={text.roleOf(member.user.displayName)}
      options={ROLES.map((value) => ({ value, label: roles[value] }))}
      value={member.role}
      onChange={(role) => role !== member.role && handlers.setRole(member, role)}
    />
  )
}

import type { OwnTenant } from '../../../me.tsx'
import { roles } from '../../../text/roles.ts'
import { users } from '../../../text/users.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { MemberBadge, type MemberStatus } from '../../../ui/member-badge.tsx'
import { Section } from '../../../ui/section.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { NameLink } from '../kit/name-link.tsx'
import type { UserDetails } from './types.ts'

const text = users.memberships
type Membership = UserDetails['memberships'][number]

const COLUMNS: Column<Membership>[] = [
  {
    title: text.tenant,
    cell: ({ tenantId, tenantName, tenantSlug }) => (
      <NameLink href={`/tenants/${tenantId}`} name={tenantName} note={tenantSlug} />
    ),
  },
  // The API types role and status as strings here, with the same values as in the member list.
  { title: text.role, cell: ({ role }) => roles[role as OwnTenant['role']] },
  {
    title: text.status,
    cell: ({ status }) => <MemberBadge status={status as MemberStatus} />,
  },
]

/** The memberships of a user. */
export const UserMemberships = ({ memberships }: { memberships: Membership[] }) => (
  <Section title={text.title} lead={text.lead}>
    <DataTable
      label={text.title}
      rows={memberships}
      keyOf={({ tenantId }) => tenantId}
      empty={<EmptyState icon="building" {...text.none} />}
      columns={COLUMNS}
    />
  </Section>
)

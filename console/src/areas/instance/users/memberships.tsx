import type { OwnTenant } from '../../../me.tsx'
import { people } from '../../../text/people.ts'
import { roles } from '../../../text/roles.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { MemberBadge, type MemberStatus } from '../../../ui/member-badge.tsx'
import { Section } from '../../../ui/section.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Named } from '../kit/named.tsx'
import type { UserDetails } from './user.tsx'

const text = people.memberships
type Membership = UserDetails['memberships'][number]

const COLUMNS: Column<Membership>[] = [
  {
    title: text.tenant,
    cell: ({ tenantId, tenantName, tenantSlug }) => (
      <Named href={`/tenants/${tenantId}`} name={tenantName} note={tenantSlug} />
    ),
  },
  // Roles and statuses come as plain words here; they are those of the tenant's own list.
  { title: text.role, cell: ({ role }) => roles[role as OwnTenant['role']] },
  {
    title: text.status,
    cell: ({ status }) => <MemberBadge status={status as MemberStatus} />,
  },
]

/** Where somebody belongs. */
export const UserMemberships = ({ memberships }: { memberships: Membership[] }) => (
  <Section title={text.title} lead={text.lead}>
    <DataTable
      label={text.title}
      rows={memberships}
      keyOf={({ tenantId }) => tenantId}
      empty={<Empty icon="building" {...text.none} />}
      columns={COLUMNS}
    />
  </Section>
)

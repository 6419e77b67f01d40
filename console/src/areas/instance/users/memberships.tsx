import { people } from '../../../text/people.ts'
import { tenantMembers } from '../../../text/tenant-members.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Section } from '../../../ui/section.tsx'
import { Empty } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Named } from '../kit/named.tsx'
import type { UserDetails } from './user.tsx'

const text = people.memberships
type Membership = UserDetails['memberships'][number]

const named = (names: Record<string, string>, name: string) => names[name] ?? name

const COLUMNS: Column<Membership>[] = [
  {
    title: text.tenant,
    cell: ({ tenantId, tenantName, tenantSlug }) => (
      <Named href={`/tenants/${tenantId}`} name={tenantName} note={tenantSlug} />
    ),
  },
  { title: text.role, cell: ({ role }) => named(tenantMembers.roles, role) },
  {
    title: text.status,
    cell: ({ status }) => (
      <StatusBadge tone={status === 'ACTIVE' ? 'good' : 'calm'}>
        {named(tenantMembers.statuses, status)}
      </StatusBadge>
    ),
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

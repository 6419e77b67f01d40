import { allTenants as text } from '../../../text/all-tenants.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'

export const TenantStatusBadge = ({ suspended }: { suspended: boolean }) => (
  <StatusBadge tone={suspended ? 'bad' : 'good'}>{suspended ? text.suspended : text.open}</StatusBadge>
)

import { allTenants as text } from '../../../text/all-tenants.ts'
import { Tag } from '../kit/tag.tsx'

export const TenantState = ({ suspended }: { suspended: boolean }) => (
  <Tag tone={suspended ? 'bad' : 'good'}>{suspended ? text.suspended : text.open}</Tag>
)

import { Stack } from '@mantine/core'
import type { AnyTenant } from '../tenant.tsx'
import { SeatHistory } from './history.tsx'
import { Subscriptions } from './subscriptions.tsx'

/** What a tenant has bought, and how it came to that. */
export const TenantLicenses = ({ tenant: { id } }: { tenant: AnyTenant }) => (
  <Stack gap="lg">
    <Subscriptions tenantId={id} />
    <SeatHistory tenantId={id} />
  </Stack>
)

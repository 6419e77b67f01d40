import { Stack } from '@mantine/core'
import type { AdminTenant } from '../types.ts'
import { SeatHistory } from './history.tsx'
import { Subscriptions } from './subscriptions.tsx'

/** The subscriptions and the ledger of a tenant. */
export const TenantLicenses = ({ tenant: { id } }: { tenant: AdminTenant }) => (
  <Stack gap="lg">
    <Subscriptions tenantId={id} />
    <SeatHistory tenantId={id} />
  </Stack>
)

import { Stack } from '@mantine/core'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { Section } from '../../../ui/section.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { Facts } from '../kit/facts.tsx'
import { TenantDangerZone } from './danger-zone.tsx'
import { TenantSettings } from './settings.tsx'
import type { AdminTenant } from './types.ts'

/** The facts, settings and destructive actions of a tenant. */
export const TenantOverview = ({ tenant }: { tenant: AdminTenant }) => (
  <Stack gap="lg">
    <Section title={text.facts.title}>
      <Facts
        facts={[
          [text.facts.id, <Copyable key="id" value={tenant.id} />],
          [text.facts.members, formatNumber(tenant.memberCount)],
          [text.facts.mfa, text.facts.mfaPolicy[tenant.mfaPolicy]],
          [text.facts.created, <RelativeTime key="created" at={tenant.createdAt} />],
          [text.facts.changed, <RelativeTime key="changed" at={tenant.updatedAt} />],
          ...(tenant.suspendedAt === null
            ? []
            : [
                [text.facts.suspendedSince, <RelativeTime key="suspended" at={tenant.suspendedAt} />] satisfies [
                  string,
                  React.ReactNode,
                ],
              ]),
        ]}
      />
    </Section>
    <TenantSettings key={tenant.updatedAt} tenant={tenant} />
    <TenantDangerZone tenant={tenant} />
  </Stack>
)

import { Stack } from '@mantine/core'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { Section } from '../../../ui/section.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Facts } from '../kit/facts.tsx'
import { TenantDanger } from './danger.tsx'
import { TenantSettings } from './settings.tsx'
import type { AnyTenant } from './tenant.tsx'

/** What a tenant is, what may be set, and how it ends. */
export const TenantOverview = ({ tenant }: { tenant: AnyTenant }) => (
  <Stack gap="lg">
    <Section title={text.facts.title}>
      <Facts
        facts={[
          [text.facts.id, <Copyable key="id" value={tenant.id} />],
          [text.facts.members, tenant.memberCount.toLocaleString()],
          [text.facts.mfa, text.facts.mfaPolicy[tenant.mfaPolicy]],
          [text.facts.created, <Moment key="created" at={tenant.createdAt} />],
          [text.facts.changed, <Moment key="changed" at={tenant.updatedAt} />],
          ...(tenant.suspendedAt === null
            ? []
            : [
                [text.facts.suspendedSince, <Moment key="suspended" at={tenant.suspendedAt} />] satisfies [
                  string,
                  React.ReactNode,
                ],
              ]),
        ]}
      />
    </Section>
    <TenantSettings key={tenant.updatedAt} tenant={tenant} />
    <TenantDanger tenant={tenant} />
  </Stack>
)

import type { Reply } from '@latchkey/client'
import { Anchor, Group, SimpleGrid, Text, ThemeIcon } from '@mantine/core'
import { Link } from 'wouter'
import { instance } from '../../../text/instance.ts'
import { formatNumber } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/section.tsx'

const text = instance.health

type Health = Reply<'GET /api/admin/overview'>['health']

/** The highest values that need no attention. */
const MAX_HEALTHY = {
  mailWaiting: 100,
  jobsWaiting: 1_000,
  webhooksWaiting: 1_000,
  webhooksDisabled: 0,
  auditBehind: 1_000,
}
const METRICS = Object.keys(MAX_HEALTHY) as (keyof typeof MAX_HEALTHY)[]

/** A summary of the health checks. */
export function HealthSummary({ health }: { health: Health }) {
  const failing = METRICS.filter((name) => health[name] > MAX_HEALTHY[name])
  const isHealthy = failing.length === 0 && health.signingKey !== null
  return (
    <Section
      title={text.title}
      actions={
        <Anchor component={Link} href="/health" size="sm">
          {text.more}
        </Anchor>
      }
    >
      <Group gap="xs" wrap="nowrap">
        <ThemeIcon color={isHealthy ? 'teal' : 'orange'} variant="light" radius="xl" size={28}>
          <Icon name={isHealthy ? 'check' : 'warning'} size={16} />
        </ThemeIcon>
        <Text fw={600}>{isHealthy ? text.good : text.look}</Text>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3 }} component="dl" m={0}>
        {METRICS.map((name) => (
          <Fact key={name} label={text[name]} value={formatNumber(health[name])} isFailing={failing.includes(name)} />
        ))}
        <Fact
          label={text.signingKey}
          value={health.signingKey ? text.keyAge(health.signingKey.ageDays) : text.noKey}
          isFailing={health.signingKey === null}
        />
      </SimpleGrid>
    </Section>
  )
}

const Fact = ({ label, value, isFailing }: { label: string; value: string; isFailing: boolean }) => (
  <div>
    <Text component="dt" size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} fw={isFailing ? 700 : 500}>
      {value}
      {isFailing && ' ⚠'}
    </Text>
  </div>
)

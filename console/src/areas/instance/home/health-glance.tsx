import { Anchor, Group, SimpleGrid, Text, ThemeIcon } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { Link } from 'wouter'
import { instance } from '../../../text/instance.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/section.tsx'

const text = instance.health

type Health = Reply<'GET /api/admin/overview'>['health']

/** How many may wait before somebody should look. A busy moment is not a trouble. */
const MOST = {
  mailWaiting: 100,
  jobsWaiting: 1_000,
  webhooksWaiting: 1_000,
  webhooksDisabled: 0,
  auditBehind: 1_000,
}
const NAMES = Object.keys(MOST) as (keyof typeof MOST)[]

/** Whether everything runs, and what waits. */
export function HealthGlance({ health }: { health: Health }) {
  const troubled = NAMES.filter((name) => health[name] > MOST[name])
  const isGood = troubled.length === 0 && health.signingKey !== null
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
        <ThemeIcon color={isGood ? 'teal' : 'orange'} variant="light" radius="xl" size={28}>
          <Icon name={isGood ? 'check' : 'warning'} size={16} />
        </ThemeIcon>
        <Text fw={600}>{isGood ? text.good : text.look}</Text>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3 }} component="dl" m={0}>
        {NAMES.map((name) => (
          <Fact
            key={name}
            label={text[name]}
            value={health[name].toLocaleString()}
            isTrouble={troubled.includes(name)}
          />
        ))}
        <Fact
          label={text.signingKey}
          value={health.signingKey ? text.keyAge(health.signingKey.ageDays) : text.noKey}
          isTrouble={health.signingKey === null}
        />
      </SimpleGrid>
    </Section>
  )
}

const Fact = ({ label, value, isTrouble }: { label: string; value: string; isTrouble: boolean }) => (
  <div>
    <Text component="dt" size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} fw={isTrouble ? 700 : 500}>
      {value}
      {isTrouble && ' ⚠'}
    </Text>
  </div>
)

import { Group, Paper, Text, ThemeIcon, Title } from '@mantine/core'
import { health } from '../../../text/health.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { Level } from './checks.ts'

const STYLES = {
  good: { className: 'tone-good', icon: 'check' },
  waiting: { className: 'tone-calm', icon: 'clock' },
  look: { className: 'tone-waiting', icon: 'warning' },
} as const

/** The overall status. Screen readers announce changes. */
export const Summary = ({ level }: { level: Level }) => (
  <Paper p="md" role="status">
    <Group wrap="nowrap">
      <ThemeIcon className={STYLES[level].className} variant="transparent" radius="xl" size={44}>
        <Icon name={STYLES[level].icon} size={24} />
      </ThemeIcon>
      <div>
        <Title order={2} size="h4">
          {health.summary[level].title}
        </Title>
        <Text size="sm" c="dimmed">
          {health.summary[level].text}
        </Text>
      </div>
    </Group>
  </Paper>
)

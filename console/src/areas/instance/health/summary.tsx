import { Group, Paper, Text, ThemeIcon, Title } from '@mantine/core'
import { health } from '../../../text/health.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { Level } from './checks.ts'

const LOOKS = {
  good: { className: 'tone-good', icon: 'check' },
  waiting: { className: 'tone-calm', icon: 'clock' },
  look: { className: 'tone-waiting', icon: 'warning' },
} as const

/** The whole in one sentence. It is said aloud when it changes. */
export const Summary = ({ level }: { level: Level }) => (
  <Paper p="md" role="status">
    <Group wrap="nowrap">
      <ThemeIcon className={LOOKS[level].className} variant="transparent" radius="xl" size={44}>
        <Icon name={LOOKS[level].icon} size={24} />
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

import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { health as text } from '../../../text/health.ts'
import { StatusBadge, type Tone } from '../../../ui/status-badge.tsx'
import type { Check } from './checks.ts'

const TONES: Record<Check['level'], Tone> = { good: 'good', waiting: 'calm', look: 'waiting' }

/** Each check with its result and a recommendation. */
export const CheckList = ({ checks }: { checks: Check[] }) => (
  <Paper>
    <Stack component="ul" gap={0} p={0} m={0} aria-label={text.list} style={{ listStyle: 'none' }}>
      {checks.map(({ name, level, result, todo, link }, index) => (
        <Group
          component="li"
          key={name}
          justify="space-between"
          align="flex-start"
          wrap="nowrap"
          p="md"
          style={index > 0 ? { borderTop: '1px solid var(--mantine-color-default-border)' } : {}}
        >
          <div>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="sm">{result}</Text>
            {todo !== undefined && (
              <Text size="sm" c="dimmed" maw="65ch" mt={4}>
                {todo}
              </Text>
            )}
            {link && (
              <Anchor component={Link} href={link.href} size="sm" mt={4} display="inline-block">
                {link.label}
              </Anchor>
            )}
          </div>
          <StatusBadge tone={TONES[level]}>{text.levels[level]}</StatusBadge>
        </Group>
      ))}
    </Stack>
  </Paper>
)

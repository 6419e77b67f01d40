import { Group, Progress, Text, ThemeIcon } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { guide as text } from '../../../../text/guide.ts'
import { Icon } from '../../../../ui/icon.tsx'

interface StepsProps {
  steps: string[]
  current: number
}

/** The progress of the guide: all steps on wide screens, the current one on a phone. */
export function Steps({ steps, current }: StepsProps) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  return narrow ? <CurrentStep steps={steps} current={current} /> : <AllSteps steps={steps} current={current} />
}

function CurrentStep({ steps, current }: StepsProps) {
  const label = text.progress(current + 1, steps.length, steps[current] ?? '')
  return (
    <div>
      <Text size="sm" fw={600} mb={6} aria-live="polite">
        {label}
      </Text>
      <Progress value={(100 * (current + 1)) / steps.length} size="sm" aria-label={label} />
    </div>
  )
}

const AllSteps = ({ steps, current }: StepsProps) => (
  <Group component="ol" gap="xl" p={0} m={0} style={{ listStyle: 'none' }}>
    {steps.map((name, index) => (
      <Group component="li" key={name} gap="xs" {...(index === current && { 'aria-current': 'step' as const })}>
        <ThemeIcon radius="xl" size={28} variant={index <= current ? 'filled' : 'default'}>
          {index < current ? <Icon name="check" size={16} /> : <Text size="sm">{index + 1}</Text>}
        </ThemeIcon>
        <Text fw={index === current ? 600 : 400} {...(index > current && { c: 'dimmed' })}>
          {name}
        </Text>
      </Group>
    ))}
  </Group>
)

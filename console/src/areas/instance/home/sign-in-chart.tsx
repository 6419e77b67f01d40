import { Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { instance } from '../../../text/instance.ts'

const text = instance.signIns
const COLORS = { succeeded: 'var(--mantine-primary-color-filled)', failed: 'var(--mantine-color-red-6)' }
const HEIGHT = 140
const BAR = 10
const STEP = 16

type Day = Reply<'GET /api/admin/overview'>['signIns'][number]

const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const nameOf = (day: string) => format.format(new Date(`${day}T00:00:00Z`))

/** Sign-ins day by day: those that succeeded, and those that failed on top of them. A table tells the same. */
export function SignInChart({ days }: { days: Day[] }) {
  const most = Math.max(0, ...days.map(({ succeeded, failed }) => succeeded + failed))
  const sum = (of: 'succeeded' | 'failed') => days.reduce((total, day) => total + day[of], 0)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="md">
          <Legend
            color={COLORS.succeeded}
            label={`${text.succeeded}: ${sum('succeeded').toLocaleString()}`}
          />
          <Legend color={COLORS.failed} label={`${text.failed}: ${sum('failed').toLocaleString()}`} />
        </Group>
        <Text size="xs" c="dimmed">
          {most === 0 ? text.none : text.most(most)}
        </Text>
      </Group>
      <svg
        role="img"
        aria-label={text.summary(sum('succeeded'), sum('failed'))}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
      >
        {days.map((day, index) => (
          <Bar key={day.day} day={day} x={index * STEP + (STEP - BAR) / 2} most={Math.max(1, most)} />
        ))}
      </svg>
      <Group justify="space-between" aria-hidden="true">
        {days.length > 0 &&
          [days[0], days[Math.floor(days.length / 2)], days.at(-1)].map((day) => (
            <Text key={day?.day} size="xs" c="dimmed">
              {nameOf(day?.day ?? '')}
            </Text>
          ))}
      </Group>
      <SameInWords days={days} />
    </Stack>
  )
}

function Bar({ day: { day, succeeded, failed }, x, most }: { day: Day; x: number; most: number }) {
  const scale = (count: number) => (count * (HEIGHT - 4)) / most
  const good = scale(succeeded)
  const bad = scale(failed)
  return (
    <g>
      <title>{text.ofDay(nameOf(day), succeeded, failed)}</title>
      {/* The whole height answers to a pointer, and a day without sign-ins is seen as one. */}
      <rect x={x - 3} y={0} width={BAR + 6} height={HEIGHT} fill="transparent" />
      <rect x={x} y={HEIGHT - 2} width={BAR} height={2} fill="var(--mantine-color-default-border)" />
      <rect x={x} y={HEIGHT - good} width={BAR} height={good} fill={COLORS.succeeded} />
      <rect x={x} y={HEIGHT - good - bad} width={BAR} height={bad} fill={COLORS.failed} />
    </g>
  )
}

const Legend = ({ color, label }: { color: string; label: string }) => (
  <Group gap={6} wrap="nowrap">
    <svg aria-hidden="true" width={10} height={10}>
      <rect width={10} height={10} rx={2} fill={color} />
    </svg>
    <Text size="sm">{label}</Text>
  </Group>
)

const SameInWords = ({ days }: { days: Day[] }) => (
  <VisuallyHidden>
    <Table>
      <caption>{text.title}</caption>
      <thead>
        <tr>
          <th scope="col">{text.day}</th>
          <th scope="col">{text.succeeded}</th>
          <th scope="col">{text.failed}</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, succeeded, failed }) => (
          <tr key={day}>
            <th scope="row">{nameOf(day)}</th>
            <td>{succeeded}</td>
            <td>{failed}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  </VisuallyHidden>
)

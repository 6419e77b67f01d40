import type { Reply } from '@latchkey/client'
import { Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { currentLocale } from '../../../languages/catalog.ts'
import { instance } from '../../../text/instance.ts'
import { ExampleData } from '../../../ui/example-data.tsx'
import { formatNumber } from '../../../ui/format.ts'

const text = instance.signIns
const COLORS = { succeeded: 'var(--mantine-primary-color-filled)', failed: 'var(--mantine-color-red-6)' }
const HEIGHT = 140
const BAR_WIDTH = 10
const BAR_STEP = 16

type Day = Reply<'GET /api/admin/overview'>['signIns'][number]

const format = new Intl.DateTimeFormat(currentLocale(), { day: 'numeric', month: 'short', timeZone: 'UTC' })
const nameOf = (day: string) => format.format(new Date(`${day}T00:00:00Z`))

/** Successful and failed sign-ins per day. With less than two days that have sign-ins, what it looks like with more. */
export function SignInChart({ days }: { days: Day[] }) {
  if (days.filter(({ succeeded, failed }) => succeeded + failed > 0).length > 1) return <Chart days={days} />
  const sum = (field: 'succeeded' | 'failed') => days.reduce((total, day) => total + day[field], 0)
  return (
    <ExampleData text={text.example(sum('succeeded'), sum('failed'))}>
      <Chart days={days.map(toExample)} />
    </ExampleData>
  )
}

/** Invented sign-ins: fewer on two days of each week. */
const toExample = ({ day }: Day, index: number): Day => {
  const isWeekend = index % 7 > 4
  return { day, succeeded: isWeekend ? 12 + index : 48 + ((index * 11) % 17), failed: isWeekend ? 1 : 2 + (index % 4) }
}

/** Stacked bars, with a hidden table for screen readers. */
function Chart({ days }: { days: Day[] }) {
  const max = Math.max(1, ...days.map(({ succeeded, failed }) => succeeded + failed))
  const sum = (field: 'succeeded' | 'failed') => days.reduce((total, day) => total + day[field], 0)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="md">
          <Legend color={COLORS.succeeded} label={`${text.succeeded}: ${formatNumber(sum('succeeded'))}`} />
          <Legend color={COLORS.failed} label={`${text.failed}: ${formatNumber(sum('failed'))}`} />
        </Group>
        <Text size="xs" c="dimmed">
          {text.most(max)}
        </Text>
      </Group>
      <svg
        role="img"
        aria-label={text.summary(sum('succeeded'), sum('failed'))}
        viewBox={`0 0 ${days.length * BAR_STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
        className="mirrored"
      >
        {days.map((day, index) => (
          <Bar key={day.day} day={day} x={index * BAR_STEP + (BAR_STEP - BAR_WIDTH) / 2} max={max} />
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
      <SignInTable days={days} />
    </Stack>
  )
}

function Bar({ day: { day, succeeded, failed }, x, max }: { day: Day; x: number; max: number }) {
  const scale = (count: number) => (count * (HEIGHT - 4)) / max
  const succeededHeight = scale(succeeded)
  const failedHeight = scale(failed)
  return (
    <g>
      <title>{text.ofDay(nameOf(day), succeeded, failed)}</title>
      {/* A transparent area for the tooltip, and a base line for days without sign-ins. */}
      <rect x={x - 3} y={0} width={BAR_WIDTH + 6} height={HEIGHT} fill="transparent" />
      <rect x={x} y={HEIGHT - 2} width={BAR_WIDTH} height={2} fill="var(--mantine-color-default-border)" />
      <rect x={x} y={HEIGHT - succeededHeight} width={BAR_WIDTH} height={succeededHeight} fill={COLORS.succeeded} />
      <rect
        x={x}
        y={HEIGHT - succeededHeight - failedHeight}
        width={BAR_WIDTH}
        height={failedHeight}
        fill={COLORS.failed}
      />
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

const SignInTable = ({ days }: { days: Day[] }) => (
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

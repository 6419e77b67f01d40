import type { DailyLicenseUsage } from '@latchkey/client/types'
import { Box, Group, Text, useDirection } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { currentLocale } from '../../languages/catalog.ts'
import { licenses } from '../../text/licenses.ts'
import { createScale } from './chart-scale.ts'
import { UsageDrawing } from './usage-drawing.tsx'

const { usage: text } = licenses

const HEIGHT = 240
const fullDay = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeZone: 'UTC' })

export const nameDay = (day: string): string => fullDay.format(new Date(day))

/** The number of days that each key moves where people read from left to right. */
const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -7,
  PageUp: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** Purchased seats as a line, assigned seats as an area. Pointer and arrow keys select a day. */
export function UsageChart({ days }: { days: DailyLicenseUsage[] }) {
  const { ref, width } = useElementSize()
  const { dir } = useDirection()
  const [selected, setSelected] = useState<number>()
  const last = days.length - 1
  const index = Math.min(selected ?? last, last)
  const day = days[index]
  const scale = createScale(days, { width: Math.max(width, 240), height: HEIGHT, dir })
  const reading = day ? text.reading(nameDay(day.day), day.assigned, day.purchased) : ''
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const isReversed = dir === 'rtl' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
    setSelected(Math.min(last, Math.max(0, index + (isReversed ? -step : step))))
  }
  return (
    <div>
      <Group justify="space-between" gap="xs" mb="xs" mih={24}>
        <Legend />
        <Text size="sm" fw={600}>
          {reading}
        </Text>
      </Group>
      <Box
        ref={ref}
        h={HEIGHT}
        role="slider"
        tabIndex={0}
        aria-label={text.chart}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={reading}
        onKeyDown={onKeyDown}
        onPointerMove={(event) =>
          setSelected(scale.indexAt(event.clientX - event.currentTarget.getBoundingClientRect().left))
        }
        onPointerLeave={() => setSelected(undefined)}
        className="usage-chart"
      >
        {width > 0 && <UsageDrawing days={days} scale={scale} index={index} />}
      </Box>
    </div>
  )
}

const Legend = () => (
  <Group gap="md" aria-hidden="true">
    <Sample name={text.assigned}>
      <rect y={2} width={18} height={10} className="usage-area" />
      <path d="M0,2H18" className="usage-edge" />
    </Sample>
    <Sample name={text.purchased}>
      <path d="M0,7H18" className="usage-line" />
    </Sample>
  </Group>
)

const Sample = ({ name, children }: { name: string; children: ReactNode }) => (
  <Group gap={6} wrap="nowrap">
    <svg width={18} height={14} aria-hidden="true">
      {children}
    </svg>
    <Text size="sm">{name}</Text>
  </Group>
)

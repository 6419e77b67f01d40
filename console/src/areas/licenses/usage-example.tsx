import type { DailyLicenseUsage } from '@latchkey/client/types'
import { Box, useDirection } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { licenses } from '../../text/licenses.ts'
import { ExampleData } from '../../ui/example-data.tsx'
import { createScale } from './chart-scale.ts'
import { UsageDrawing } from './usage-drawing.tsx'

const HEIGHT = 240

/** Invented seats for each day: more are bought once, and more and more are used. */
const toExample = ({ day }: DailyLicenseUsage, index: number, { length }: DailyLicenseUsage[]): DailyLicenseUsage => {
  const progress = index / length
  return { day, purchased: progress < 0.4 ? 10 : 20, assigned: Math.round(4 + 13 * progress + Math.sin(index / 3)) }
}

/** What the chart looks like with enough data. */
export function UsageExample({ days }: { days: DailyLicenseUsage[] }) {
  const { ref, width } = useElementSize()
  const { dir } = useDirection()
  const example = days.map(toExample)
  const scale = createScale(example, { width: Math.max(width, 240), height: HEIGHT, dir })
  return (
    <ExampleData text={licenses.usage.exampleText}>
      <Box ref={ref} h={HEIGHT} className="usage-chart">
        {width > 0 && <UsageDrawing days={example} scale={scale} index={example.length - 1} />}
      </Box>
    </ExampleData>
  )
}

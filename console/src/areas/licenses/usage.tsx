import type { DailyLicenseUsage } from '@latchkey/client/types'
import { Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { licenses } from '../../text/licenses.ts'
import { Section } from '../../ui/section.tsx'
import { QueryContent } from '../../ui/states.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useTenant } from '../tenant/tenant.ts'
import { USAGE } from './types.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageExample } from './usage-example.tsx'
import { UsageTable } from './usage-table.tsx'

const { usage: text } = licenses

const RANGES = ['30', '90', '365'] as const

/** The seat usage over time, as a chart or a table. */
export function Usage({ applicationId }: { applicationId: string }) {
  const tenant = useTenant()
  const { values, page, set } = useFilters(['days'])
  const range = RANGES.find((candidate) => candidate === values.days) ?? '90'
  const [asTable, setAsTable] = useState(false)
  const query = useApiQuery(USAGE, {
    input: { path: { id: tenant.id, applicationId }, query: { days: Number(range) } },
  })
  return (
    <Section
      title={text.title}
      lead={text.lead}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={text.range}
            value={range}
            // Keeps the page of the member list above.
            onChange={(days) => set({ days, page: page > 1 ? page : null })}
            data={RANGES.map((value) => ({ value, label: text.days[value] }))}
          />
          <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
            {asTable ? text.asChart : text.asTable}
          </Button>
        </Group>
      }
    >
      <QueryContent query={query} skeletonRows={1} skeletonHeight={274}>
        {({ days }) => {
          if (!hasEnoughData(days)) return <UsageExample days={days} />
          return asTable ? <UsageTable days={days} /> : <UsageChart days={days} />
        }}
      </QueryContent>
    </Section>
  )
}

/** A chart needs at least two days with data. */
const hasEnoughData = (days: DailyLicenseUsage[]): boolean =>
  days.filter(({ purchased, assigned }) => purchased > 0 || assigned > 0).length > 1

import { Button, Group, SegmentedControl } from '@mantine/core'
import type { DayOfUsage } from 'latchkey-sdk/types'
import { useState } from 'react'
import { useRead } from '../../api/use-api.ts'
import { licenses } from '../../text/licenses.ts'
import { Section } from '../../ui/section.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useTenant } from '../tenant/tenant.ts'
import { USAGE } from './types.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageTable } from './usage-table.tsx'

const { usage: text } = licenses

const SPANS = ['30', '90', '365'] as const

/** How the seats were used, as a chart or as a table. */
export function Usage({ applicationId }: { applicationId: string }) {
  const tenant = useTenant()
  const { values, page, set } = useFilters(['days'])
  const span = SPANS.find((each) => each === values.days) ?? '90'
  const [asTable, setAsTable] = useState(false)
  const query = useRead(USAGE, {
    input: { path: { id: tenant.id, applicationId }, query: { days: Number(span) } },
  })
  return (
    <Section
      title={text.title}
      lead={text.lead}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            transitionDuration={0}
            aria-label={text.range}
            value={span}
            // The list of people above stays where it is.
            onChange={(days) => set({ days, page: page > 1 ? page : null })}
            data={SPANS.map((value) => ({ value, label: text.days[value] }))}
          />
          <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
            {asTable ? text.asChart : text.asTable}
          </Button>
        </Group>
      }
    >
      <Loaded query={query} rows={1} height={274}>
        {({ days }) => {
          if (!hasHistory(days)) return <Empty icon="pulse" title={text.empty} text={text.emptyText} />
          return asTable ? <UsageTable days={days} /> : <UsageChart days={days} />
        }}
      </Loaded>
    </Section>
  )
}

/** One day is a number and no history. */
const hasHistory = (days: DayOfUsage[]): boolean =>
  days.filter(({ purchased, assigned }) => purchased > 0 || assigned > 0).length > 1

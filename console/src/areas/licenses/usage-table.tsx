import { ScrollArea, Table, Text } from '@mantine/core'
import type { DayOfUsage } from 'latchkey-sdk/types'
import { licenses } from '../../text/licenses.ts'
import { nameDay } from './usage-chart.tsx'

const { usage: text } = licenses

/** The same as the chart, for those who would rather read numbers. */
export const UsageTable = ({ days }: { days: DayOfUsage[] }) => (
  <div>
    <Text size="sm" c="dimmed" mb="xs">
      {text.changes}
    </Text>
    <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': text.title }}>
      <Table aria-label={text.title} stickyHeader verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.day}</Table.Th>
            <Table.Th ta="right">{text.assigned}</Table.Th>
            <Table.Th ta="right">{text.purchased}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {daysOfChange(days).map(({ day, assigned, purchased }) => (
            <Table.Tr key={day}>
              <Table.Td>{nameDay(day)}</Table.Td>
              <Table.Td ta="right">{assigned.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{purchased.toLocaleString()}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  </div>
)

/** The days unlike the one before, the first included; the latest first. */
const daysOfChange = (days: DayOfUsage[]): DayOfUsage[] =>
  days
    .filter((day, index) => {
      const before = days[index - 1]
      return !before || before.assigned !== day.assigned || before.purchased !== day.purchased
    })
    .reverse()

import type { DailyLicenseUsage } from '@latchkey/client/types'
import { ScrollArea, Table, Text } from '@mantine/core'
import { licenses } from '../../text/licenses.ts'
import { formatNumber } from '../../ui/format.ts'
import { nameDay } from './usage-chart.tsx'

const { usage: text } = licenses

/** The data of the chart as a table. */
export const UsageTable = ({ days }: { days: DailyLicenseUsage[] }) => (
  <div>
    <Text size="sm" c="dimmed" mb="xs">
      {text.changes}
    </Text>
    <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': text.title }}>
      <Table aria-label={text.title} stickyHeader verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.day}</Table.Th>
            <Table.Th ta="end">{text.assigned}</Table.Th>
            <Table.Th ta="end">{text.purchased}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listChangedDays(days).map(({ day, assigned, purchased }) => (
            <Table.Tr key={day}>
              <Table.Td>{nameDay(day)}</Table.Td>
              <Table.Td ta="end">{formatNumber(assigned)}</Table.Td>
              <Table.Td ta="end">{formatNumber(purchased)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  </div>
)

/** The first day and the days with changes, newest first. */
const listChangedDays = (days: DailyLicenseUsage[]): DailyLicenseUsage[] =>
  days
    .filter((day, index) => {
      const before = days[index - 1]
      return !before || before.assigned !== day.assigned || before.purchased !== day.purchased
    })
    .reverse()

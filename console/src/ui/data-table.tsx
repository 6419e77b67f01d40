import { Paper, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'

export interface Column<Row> {
  /** What stands above it. */
  title: string
  cell: (row: Row) => ReactNode
  /** Held at the end of the row, without a heading of its own on a phone: what one can do with it. */
  actions?: boolean
  /** Left out on a phone. */
  wideOnly?: boolean
}

interface DataTableProps<Row> {
  /** What the table is of, for those who listen. */
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  /** Shown instead when there is nothing. */
  empty: ReactNode
  /** New rows are on their way. */
  busy?: boolean
}

/** Rows of one kind: a table where there is room, cards on a phone. */
export function DataTable<Row>({ label, columns, rows, keyOf, empty, busy = false }: DataTableProps<Row>) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (rows.length === 0) return <Paper>{empty}</Paper>
  const Shape = narrow ? Cards : Rows
  return (
    <div aria-busy={busy} style={{ opacity: busy ? 0.6 : 1 }}>
      <Shape {...{ label, columns, rows, keyOf }} />
    </div>
  )
}

type Shown<Row> = Pick<DataTableProps<Row>, 'label' | 'columns' | 'rows' | 'keyOf'>

function Rows<Row>({ label, columns, rows, keyOf }: Shown<Row>) {
  return (
    <Paper>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, actions }) => (
                <Table.Th
                  key={title}
                  style={{ whiteSpace: 'nowrap' }}
                  {...(actions && { ta: 'right' as const })}
                >
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map(({ title, cell, actions }) => (
                  <Table.Td key={title} {...(actions && { ta: 'right' as const })}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function Cards<Row>({ label, columns, rows, keyOf }: Shown<Row>) {
  const shown = columns.filter(({ wideOnly }) => wideOnly !== true)
  return (
    <Stack component="ul" gap="sm" aria-label={label} p={0} m={0} style={{ listStyle: 'none' }}>
      {rows.map((row) => (
        <Paper component="li" key={keyOf(row)} p="md">
          <Stack gap={6}>
            {shown.map(({ title, cell, actions }, index) => (
              <div key={title} className={actions ? 'card-actions' : index > 0 ? 'card-field' : ''}>
                {index > 0 && !actions && (
                  <Text size="xs" c="dimmed">
                    {title}
                  </Text>
                )}
                <Text size="sm" component="div" miw={0}>
                  {cell(row)}
                </Text>
              </div>
            ))}
          </Stack>
        </Paper>
      ))}
    </Stack>
  )
}

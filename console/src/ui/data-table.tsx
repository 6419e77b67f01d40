import { Paper, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** A column of buttons: right-aligned, and without a title on a phone. */
  actions?: boolean
  /** Hidden on a phone. */
  wideOnly?: boolean
}

interface DataTableProps<Row> {
  /** The accessible name of the table. */
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  /** Shown if there are no rows. */
  empty: ReactNode
  /** True while new rows load. */
  busy?: boolean
}

/** A table on wide screens, cards on a phone. */
export function DataTable<Row>({ label, columns, rows, keyOf, empty, busy = false }: DataTableProps<Row>) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (rows.length === 0) return <Paper>{empty}</Paper>
  const Layout = narrow ? Cards : Rows
  return (
    <div aria-busy={busy} style={{ opacity: busy ? 0.6 : 1 }}>
      <Layout label={label} columns={columns} rows={rows} keyOf={keyOf} />
    </div>
  )
}

type LayoutProps<Row> = Pick<DataTableProps<Row>, 'label' | 'columns' | 'rows' | 'keyOf'>

function Rows<Row>({ label, columns, rows, keyOf }: LayoutProps<Row>) {
  return (
    <Paper>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, actions }) => (
                <Table.Th key={title} style={{ whiteSpace: 'nowrap' }} {...(actions && { ta: 'right' as const })}>
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

function Cards<Row>({ label, columns, rows, keyOf }: LayoutProps<Row>) {
  const visibleColumns = columns.filter(({ wideOnly }) => wideOnly !== true)
  return (
    <Stack component="ul" gap="sm" aria-label={label} p={0} m={0} style={{ listStyle: 'none' }}>
      {rows.map((row) => (
        <Paper component="li" key={keyOf(row)} p="md">
          <Stack gap={6}>
            {visibleColumns.map(({ title, cell, actions }, index) => (
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

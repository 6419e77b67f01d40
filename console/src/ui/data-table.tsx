import { Group, Paper, Select, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { shell } from '../text/shell.ts'
import { Icon } from './icon.tsx'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** A column of buttons: aligned to the end, and without a title on a phone. */
  actions?: boolean
  /** Hidden on a phone. */
  wideOnly?: boolean
  /** The `sort` values of the API that order the list by this column. */
  sort?: { ascending?: string; descending?: string }
}

/** The order of the list, which the service makes. */
export interface Sorting {
  value: string
  onSort: (value: string) => void
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
  sorting?: Sorting
}

/** A table on wide screens, cards on a phone. */
export function DataTable<Row>({ rows, empty, busy = false, ...props }: DataTableProps<Row>) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (rows.length === 0) return <Paper>{empty}</Paper>
  const Layout = narrow ? Cards : Rows
  return (
    <div aria-busy={busy} style={{ opacity: busy ? 0.6 : 1 }}>
      <Layout rows={rows} {...props} />
    </div>
  )
}

type LayoutProps<Row> = Pick<DataTableProps<Row>, 'label' | 'columns' | 'rows' | 'keyOf' | 'sorting'>

function Rows<Row>({ label, columns, rows, keyOf, sorting }: LayoutProps<Row>) {
  return (
    <Paper>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <HeaderCell key={column.title} column={column} sorting={sorting} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map(({ title, cell, actions }) => (
                  <Table.Td key={title} {...(actions && { ta: 'end' as const })}>
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

/** The title of a column. A column that can be sorted has a button, which reverses the order if the API can. */
function HeaderCell<Row>({
  column: { title, actions, sort },
  sorting,
}: {
  column: Column<Row>
  sorting: Sorting | undefined
}) {
  const style = { whiteSpace: 'nowrap' } as const
  if (!sort || !sorting) {
    return (
      <Table.Th style={style} {...(actions && { ta: 'end' as const })}>
        {title}
      </Table.Th>
    )
  }
  const { ascending, descending } = sort
  const order =
    sorting.value === ascending ? 'ascending' : sorting.value === descending ? 'descending' : ('none' as const)
  const next = (order === 'ascending' ? descending : ascending) ?? descending ?? ascending
  return (
    <Table.Th style={style} aria-sort={order}>
      <UnstyledButton
        className="sort-button"
        onClick={() => next !== undefined && next !== sorting.value && sorting.onSort(next)}
      >
        {title}
        <Icon name={order === 'ascending' ? 'up' : order === 'descending' ? 'chevron' : 'sort'} size={14} />
      </UnstyledButton>
    </Table.Th>
  )
}

function Cards<Row>({ label, columns, rows, keyOf, sorting }: LayoutProps<Row>) {
  const visibleColumns = columns.filter(({ wideOnly }) => wideOnly !== true)
  return (
    <Stack gap="sm">
      {sorting && <SortSelect columns={columns} sorting={sorting} />}
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
    </Stack>
  )
}

/** The order on a phone, where columns have no titles to press. */
function SortSelect<Row>({ columns, sorting }: { columns: Column<Row>[]; sorting: Sorting }) {
  const { ascending, descending, label } = shell.sort
  const orders = columns.flatMap(({ title, sort }) => [
    ...(sort?.ascending === undefined ? [] : [{ value: sort.ascending, label: ascending(title) }]),
    ...(sort?.descending === undefined ? [] : [{ value: sort.descending, label: descending(title) }]),
  ])
  return (
    <Group justify="flex-end">
      <Select
        aria-label={label}
        data={orders}
        value={sorting.value}
        onChange={(value) => value !== null && sorting.onSort(value)}
        allowDeselect={false}
        size="xs"
        w={220}
      />
    </Group>
  )
}

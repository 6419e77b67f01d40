import { Code, Table, Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { Arrow } from '../../ui/arrow.tsx'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** Shows the change inline if it is a single field with scalar values. */
export function InlineChange({ details }: { details: Fields }) {
  const [before, after] = [details.before, details.after]
  if (!isFields(before) || !isFields(after)) return null
  const [field = '', ...others] = Object.keys(after)
  const values = [before[field], after[field]]
  if (others.length > 0 || values.some((value) => value === undefined || typeof value === 'object')) return null
  return (
    <Text span size="sm" c="dimmed">
      {' '}
      <bdi>{toText(values[0])}</bdi> <Arrow /> <bdi>{toText(values[1])}</bdi>
    </Text>
  )
}

/** A table of changed fields. Renders nothing if the entry has no changes. */
export function Diff({ details }: { details: Fields }) {
  const before = isFields(details.before) ? details.before : {}
  const after = isFields(details.after) ? details.after : {}
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  if (fields.length === 0) return null
  const sides = [
    { kind: 'before', title: text.before, record: before },
    { kind: 'after', title: text.after, record: after },
  ] as const
  // A created or deleted record has only one side.
  const visibleSides = sides.filter(({ record }) => Object.keys(record).length > 0)
  return (
    <Table
      withTableBorder
      withColumnBorders
      verticalSpacing={6}
      horizontalSpacing="sm"
      highlightOnHover={false}
      layout="fixed"
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.field}</Table.Th>
          {visibleSides.map(({ title }) => (
            <Table.Th key={title}>{title}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field}>
            <Table.Td>
              <Text size="sm">{field}</Text>
            </Table.Td>
            {visibleSides.map(({ kind, record }) => (
              <Table.Td key={kind}>
                <Value kind={kind} fields={record} name={field} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Value({ kind, fields, name }: { kind: 'before' | 'after'; fields: Fields; name: string }) {
  if (!(name in fields)) return null
  const color = kind === 'before' ? 'var(--audit-removed)' : 'var(--audit-added)'
  return (
    <Code color={color} c="var(--mantine-color-text)" style={{ whiteSpace: 'pre-wrap' }}>
      {toText(fields[name])}
    </Code>
  )
}

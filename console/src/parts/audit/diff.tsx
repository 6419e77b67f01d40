import { Code, Table, Text } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** What changed, field by field. Nothing where the entry tells of no change. */
export function Diff({ details }: { details: Fields }) {
  const before = isFields(details.before) ? details.before : {}
  const after = isFields(details.after) ? details.after : {}
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  if (fields.length === 0) return null
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
          <Table.Th>{text.before}</Table.Th>
          <Table.Th>{text.after}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field}>
            <Table.Td>
              <Text size="sm">{field}</Text>
            </Table.Td>
            <Table.Td>
              <Value kind="before" fields={before} name={field} />
            </Table.Td>
            <Table.Td>
              <Value kind="after" fields={after} name={field} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Value({ kind, fields, name }: { kind: 'before' | 'after'; fields: Fields; name: string }) {
  if (!(name in fields)) return null
  const color = kind === 'before' ? 'var(--console-gone)' : 'var(--console-come)'
  return (
    <Code color={color} c="var(--mantine-color-text)" style={{ whiteSpace: 'pre-wrap' }}>
      {toText(fields[name])}
    </Code>
  )
}

import { ActionIcon, Button, Group, Input, Stack, Switch, TextInput } from '@mantine/core'
import { licenseTypes as text } from '../../../text/license-types.ts'
import { Icon } from '../../../ui/icon.tsx'

export interface FeatureRow {
  /** A stable React key while the feature key is edited. */
  row: number
  key: string
  included: boolean
}

export const toFeatureRows = (features: Record<string, boolean>): FeatureRow[] =>
  Object.entries(features).map(([key, included], row) => ({ row, key, included }))

/** Rows without a key are ignored. */
export const toFeatures = (rows: FeatureRow[]): Record<string, boolean> =>
  Object.fromEntries(rows.filter(({ key }) => key.trim() !== '').map(({ key, included }) => [key.trim(), included]))

const isDuplicate = (rows: FeatureRow[], key: string): boolean =>
  key.trim() !== '' && rows.filter((entry) => entry.key.trim() === key.trim()).length > 1

export const hasDuplicates = (rows: FeatureRow[]): boolean => rows.some(({ key }) => isDuplicate(rows, key))

interface FeatureRowsProps {
  rows: FeatureRow[]
  onChange: (rows: FeatureRow[]) => void
  error?: string | undefined
}

/** The features of a license type: a key, and whether it is included. */
export function FeatureRows({ rows, onChange, error }: FeatureRowsProps) {
  const set = (row: number, changes: Partial<FeatureRow>) =>
    onChange(rows.map((entry) => (entry.row === row ? { ...entry, ...changes } : entry)))
  const nextRow = Math.max(-1, ...rows.map(({ row }) => row)) + 1
  return (
    <Input.Wrapper label={text.features} description={text.featuresText} error={error} labelElement="div">
      <Stack gap="xs" mt="xs" role="group" aria-label={text.features}>
        {rows.map(({ row, key, included }, index) => (
          <Group key={row} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={text.feature(index + 1)}
              placeholder={text.featurePlaceholder}
              value={key}
              onChange={(event) => set(row, { key: event.currentTarget.value })}
              error={isDuplicate(rows, key) ? text.twice : undefined}
              flex={1}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={100}
            />
            <Switch
              aria-label={text.included(key)}
              checked={included}
              onChange={(event) => set(row, { included: event.currentTarget.checked })}
              mt={8}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={4}
              onClick={() => onChange(rows.filter((entry) => entry.row !== row))}
              aria-label={text.removeFeature(key)}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => onChange([...rows, { row: nextRow, key: '', included: true }])}
          >
            {text.addFeature}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}

import { Button, Menu } from '@mantine/core'
import { useAction } from '../../api/query-hooks.ts'
import { audit as text } from '../../text/audit.ts'
import { Icon } from '../../ui/icon.tsx'
import { showSuccess } from '../../ui/notifications.tsx'
import { exportEntries, type Filters } from './entries.ts'

/** Exports the filtered log as a file. */
export function ExportMenu({ tenantId, filters }: { tenantId: string | undefined; filters: Filters }) {
  const exporting = useAction((format: 'csv' | 'jsonl') => exportEntries(tenantId, filters, format), {
    invalidates: [['audit', tenantId ?? null]],
    onSuccess: () => showSuccess(text.export.done),
  })
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />} loading={exporting.isPending}>
          {text.export.button}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text.export.note}</Menu.Label>
        <Menu.Item onClick={() => exporting.mutate('csv')}>{text.export.csv}</Menu.Item>
        <Menu.Item onClick={() => exporting.mutate('jsonl')}>{text.export.jsonl}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

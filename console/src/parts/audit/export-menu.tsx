import { Button, Menu } from '@mantine/core'
import { useDeed } from '../../api/use-door.ts'
import { audit as text } from '../../text/audit.ts'
import { Icon } from '../../ui/icon.tsx'
import { showDone } from '../../ui/notices.tsx'
import { exportEntries, type Filters } from './source.ts'

/** What is shown, as a file. */
export function ExportMenu({ tenantId, filters }: { tenantId: string | undefined; filters: Filters }) {
  const fetching = useDeed((format: 'csv' | 'jsonl') => exportEntries(tenantId, filters, format), {
    refreshes: [['audit', tenantId ?? null]],
    onDone: () => showDone(text.export.done),
  })
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={fetching.isPending}
        >
          {text.export.button}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text.export.note}</Menu.Label>
        <Menu.Item onClick={() => fetching.mutate('csv')}>{text.export.csv}</Menu.Item>
        <Menu.Item onClick={() => fetching.mutate('jsonl')}>{text.export.jsonl}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

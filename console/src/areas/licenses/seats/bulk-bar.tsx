import { Button, Checkbox, Group, Menu, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { LicensedType, MemberSeat } from '../types.ts'
import { TypeItems } from './seat-menu.tsx'
import type { Selection } from './use-selection.ts'

const { bulk: text } = licenses

interface BulkBarProps {
  page: MemberSeat[]
  selection: Selection
  types: LicensedType[]
  busy: boolean
  onGrant: (type: LicensedType) => void
  onRevoke: () => void
}

/** Selects a whole page and changes all selected seats. Has a fixed height to avoid layout shifts. */
export function BulkBar({ page, selection, types, busy, onGrant, onRevoke }: BulkBarProps) {
  const { selected, has, toggle, clear } = selection
  const selectedOnPage = page.filter(has).length
  return (
    <Group justify="space-between" gap="sm" mih={36} px={{ base: 0, sm: 'md' }}>
      <Checkbox
        label={text.page}
        disabled={page.length === 0}
        checked={page.length > 0 && selectedOnPage === page.length}
        indeterminate={selectedOnPage > 0 && selectedOnPage < page.length}
        onChange={(event) => toggle(page, event.currentTarget.checked)}
      />
      {selected.length > 0 && (
        <Group gap="xs">
          <Text size="sm" aria-live="polite">
            {text.selected(selected.length)}
          </Text>
          <Menu position="bottom-end" width={250}>
            <Menu.Target>
              <Button size="xs" loading={busy} rightSection={<Icon name="chevron" size={14} />}>
                {text.give}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <TypeItems types={types} onChoose={onGrant} />
            </Menu.Dropdown>
          </Menu>
          <Button
            size="xs"
            variant="default"
            disabled={busy || selected.every(({ license }) => license === null)}
            onClick={onRevoke}
          >
            {text.take}
          </Button>
          <Button size="xs" variant="subtle" onClick={clear}>
            {text.clear}
          </Button>
        </Group>
      )}
    </Group>
  )
}

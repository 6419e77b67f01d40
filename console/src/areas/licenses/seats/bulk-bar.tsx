import { Button, Checkbox, Group, Menu, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { LicensedType, SeatOfMember } from '../types.ts'
import { TypeItems } from './seat-menu.tsx'
import type { Selection } from './use-selection.ts'

const { bulk: text } = licenses

interface BulkBarProps {
  page: SeatOfMember[]
  selection: Selection
  types: LicensedType[]
  busy: boolean
  onGive: (type: LicensedType) => void
  onTakeBack: () => void
}

/** Selects a whole page, and does one thing for all who are selected. It keeps its room, so that nothing jumps. */
export function BulkBar({ page, selection, types, busy, onGive, onTakeBack }: BulkBarProps) {
  const { chosen, has, toggle, clear } = selection
  const onPage = page.filter(has).length
  return (
    <Group justify="space-between" gap="sm" mih={36} px={{ base: 0, sm: 'md' }}>
      <Checkbox
        label={text.page}
        disabled={page.length === 0}
        checked={page.length > 0 && onPage === page.length}
        indeterminate={onPage > 0 && onPage < page.length}
        onChange={(event) => toggle(page, event.currentTarget.checked)}
      />
      {chosen.length > 0 && (
        <Group gap="xs">
          <Text size="sm" aria-live="polite">
            {text.selected(chosen.length)}
          </Text>
          <Menu position="bottom-end" width={250}>
            <Menu.Target>
              <Button size="xs" loading={busy} rightSection={<Icon name="chevron" size={14} />}>
                {text.give}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <TypeItems types={types} onChoose={onGive} />
            </Menu.Dropdown>
          </Menu>
          <Button
            size="xs"
            variant="default"
            disabled={busy || chosen.every(({ license }) => license === null)}
            onClick={onTakeBack}
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

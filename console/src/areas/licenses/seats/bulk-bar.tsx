import { Button, Checkbox, Group, Menu, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { Icon } from '../../../ui/icon.tsx'
import { grantableSeats, type LicensedType, type MemberSeat } from '../types.ts'
import { TypeItems } from './seat-menu.tsx'
import { MAX_BULK, type Matching } from './use-matching.ts'
import type { Selection } from './use-selection.ts'

const { bulk: text } = licenses

interface BulkBarProps {
  page: MemberSeat[]
  /** The number of members that match the search and the filter. */
  total: number
  selection: Selection
  matching: Matching
  types: LicensedType[]
  busy: boolean
  onGrant: (type: LicensedType) => void
  onRevoke: () => void
}

/** Selects a page or all matches, and changes all selected seats. Has a fixed height to avoid layout shifts. */
export function BulkBar({ page, total, selection, matching, types, busy, onGrant, onRevoke }: BulkBarProps) {
  const { selected, has, toggle, clear } = selection
  const selectedOnPage = page.filter(has).length
  const isPageSelected = page.length > 0 && selectedOnPage === page.length
  const isTooMany = selected.length > MAX_BULK
  const left = types.reduce((sum, type) => sum + grantableSeats(type), 0)
  const mayTake = selected.some(({ license }) => license !== null)
  return (
    <Group justify="space-between" gap="sm" mih={36} px={{ base: 0, sm: 'md' }}>
      <Group gap="xs">
        <Checkbox
          label={text.page}
          disabled={page.length === 0}
          checked={isPageSelected}
          indeterminate={selectedOnPage > 0 && selectedOnPage < page.length}
          onChange={(event) => toggle(page, event.currentTarget.checked)}
        />
        {isPageSelected && selected.length < Math.min(total, MAX_BULK) && (
          <Button
            size="compact-sm"
            variant="subtle"
            loading={matching.busy}
            onClick={() => void matching.load().then((found) => found && selection.select(found))}
          >
            {total > MAX_BULK ? text.first(MAX_BULK) : text.all(total)}
          </Button>
        )}
      </Group>
      {selected.length > 0 && (
        <Group gap="xs">
          <Text size="sm" aria-live="polite">
            {isTooMany ? text.tooMany(MAX_BULK) : text.selected(selected.length, left)}
          </Text>
          <Menu position="bottom-end" width={250}>
            <Menu.Target>
              <Button size="xs" loading={busy} disabled={isTooMany} rightSection={<Icon name="chevron" size={14} />}>
                {text.give}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <TypeItems types={types} onChoose={onGrant} />
            </Menu.Dropdown>
          </Menu>
          <Button size="xs" variant="default" disabled={busy || isTooMany || !mayTake} onClick={onRevoke}>
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

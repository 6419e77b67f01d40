import { ActionIcon, Box, Collapse, Group, Stack, Text, ThemeIcon } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { audit as text } from '../../text/audit.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { formatDateTime, formatRelative } from '../../ui/time.tsx'
import { InlineChange } from './diff.tsx'
import type { Entry, FilterName } from './entries.ts'
import { EntryDetails } from './entry-details.tsx'
import type { Names } from './names.ts'
import { Sentence } from './sentence.tsx'

const ICONS: Record<string, IconName> = {
  user: 'user',
  session: 'device',
  tenant: 'building',
  member: 'users',
  invitation: 'mail',
  license: 'seat',
  license_type: 'tag',
  subscription: 'tag',
  application: 'grid',
  client: 'box',
  signing_key: 'key',
  webhook: 'hook',
}

/** An entry with sentence, time and origin. The details are collapsed. */
export function EntryItem({
  entry,
  names,
  onFilter,
}: {
  entry: Entry
  names: Names
  onFilter: (name: FilterName, value: string) => void
}) {
  const [open, { toggle }] = useDisclosure()
  const [family = ''] = entry.action.split('.')
  const origin = [entry.ipAddress, entry.clientId && text.via(entry.clientId)].filter(Boolean).join(' · ')
  return (
    <Box component="li" px="md" py="sm">
      <Group wrap="nowrap" gap="sm" align="flex-start">
        <ThemeIcon variant="default" radius="xl" size={30}>
          <Icon name={ICONS[family] ?? 'list'} size={16} />
        </ThemeIcon>
        <Stack gap={0} style={{ flex: 1 }} miw={0}>
          <span>
            <Sentence entry={entry} names={names} />
            <InlineChange details={entry.details} />
          </span>
          <Text size="xs" c="dimmed">
            <time dateTime={entry.occurredAt} title={formatRelative(entry.occurredAt)}>
              {formatDateTime(entry.occurredAt)}
            </time>
            {origin !== '' && ` · ${origin}`}
          </Text>
        </Stack>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          onClick={toggle}
          aria-expanded={open}
          aria-label={text.details}
          className={open ? 'expanded' : ''}
        >
          <Icon name="chevron" size={18} />
        </ActionIcon>
      </Group>
      <Collapse expanded={open}>{open && <EntryDetails entry={entry} names={names} onFilter={onFilter} />}</Collapse>
    </Box>
  )
}

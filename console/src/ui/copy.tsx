import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { shell } from '../text/shell.ts'
import { Icon } from './icon.tsx'

export const Copyable = ({ value, label }: { value: string; label?: string }) => (
  <Group gap={4} wrap="nowrap" miw={0}>
    <Code style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>{value}</Code>
    <Copy value={value} {...(label !== undefined && { label })} />
  </Group>
)

export const Copy = ({ value, label = shell.copy }: { value: string; label?: string }) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? shell.copied : label}>
        <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={label}>
          <Icon name={copied ? 'check' : 'copy'} size={16} />
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
)

import { Alert, Group, Stack, Text } from '@mantine/core'
import { shell } from '../text/shell.ts'
import { Copy } from './copy.tsx'
import { Icon } from './icon.tsx'

/** A secret that is shown only once. */
export const OneTimeSecret = ({ label, value, copy }: { label: string; value: string; copy: string }) => (
  <Alert color="orange" icon={<Icon name="key" />} title={label}>
    <Stack gap={4}>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Text ff="monospace" size="sm" dir="ltr" style={{ wordBreak: 'break-all' }}>
          {value}
        </Text>
        <Copy value={value} label={copy} />
      </Group>
      <Text size="sm">{shell.secret.once}</Text>
    </Stack>
  </Alert>
)

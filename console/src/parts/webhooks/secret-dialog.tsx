import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { shell } from '../../text/shell.ts'
import { webhooks as text } from '../../text/webhooks.ts'
import { Copy } from '../../ui/copy.tsx'
import { toExact } from '../../ui/time.tsx'

export interface ShownSecret {
  secret: string
  /** Until when the one before signs as well. */
  previousUntil?: string
}

/** The secret, this once. A stray click does not close it. */
export const SecretDialog = ({ shown, onClose }: { shown: ShownSecret | undefined; onClose: () => void }) => (
  <Modal
    opened={shown !== undefined}
    onClose={onClose}
    title={text.secret.title}
    closeOnClickOutside={false}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {shown && (
      <Stack>
        <Text size="sm">{text.secret.text}</Text>
        <Group gap="xs" wrap="nowrap">
          <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {shown.secret}
          </Code>
          <Copy value={shown.secret} />
        </Group>
        {shown.previousUntil !== undefined && (
          <Text size="sm" c="dimmed">
            {text.secret.old(toExact(shown.previousUntil))}
          </Text>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{text.secret.done}</Button>
        </Group>
      </Stack>
    )}
  </Modal>
)

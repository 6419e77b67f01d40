import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { shell } from '../../text/shell.ts'
import { webhooks as text } from '../../text/webhooks.ts'
import { Copy } from '../../ui/copy.tsx'
import { formatDateTime } from '../../ui/time.tsx'

export interface IssuedSecret {
  secret: string
  /** The end of validity of the previous secret. */
  previousUntil?: string
}

/** Shows a secret once. Clicks outside do not close the dialog. */
export const SecretDialog = ({ issued, onClose }: { issued: IssuedSecret | undefined; onClose: () => void }) => (
  <Modal
    opened={issued !== undefined}
    onClose={onClose}
    title={text.secret.title}
    closeOnClickOutside={false}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {issued && (
      <Stack>
        <Text size="sm">{text.secret.text}</Text>
        <Group gap="xs" wrap="nowrap">
          <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {issued.secret}
          </Code>
          <Copy value={issued.secret} />
        </Group>
        {issued.previousUntil !== undefined && (
          <Text size="sm" c="dimmed">
            {text.secret.old(formatDateTime(issued.previousUntil))}
          </Text>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{text.secret.done}</Button>
        </Group>
      </Stack>
    )}
  </Modal>
)

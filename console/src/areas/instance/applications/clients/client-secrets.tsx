import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../../api/use-api.ts'
import { clients } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { OneTimeSecret } from '../../../../ui/one-time-secret.tsx'
import { formatDateTime, RelativeTime } from '../../../../ui/time.tsx'
import type { Client } from './client-draft.ts'

const text = clients.secrets
const MAX_SECRETS = 2

/** The secrets of a client. Two can be valid, so that one can be replaced without downtime. */
export function ClientSecrets({ client: { id, name, secrets } }: { client: Client }) {
  const [dialog, ask] = useConfirm()
  const [secret, setSecret] = useState('')
  const [isShown, setIsShown] = useState(false)
  const invalidates = ['GET /api/admin/clients' as const]
  const add = useApiMutation('POST /api/admin/clients/{id}/secrets', {
    invalidates,
    onSuccess: ({ clientSecret }) => {
      setSecret(clientSecret)
      setIsShown(true)
    },
  })
  const revoke = useApiMutation('DELETE /api/admin/clients/{id}/secrets/{secretId}', {
    invalidates,
    onSuccess: () => showSuccess(text.ended),
  })
  const question = {
    title: text.endQuestion,
    text: text.endText(name, secrets.length === 1),
    action: text.endAction,
  }
  return (
    <Stack gap={6}>
      {dialog}
      <NewSecret secret={secret} opened={isShown} onClose={() => setIsShown(false)} />
      <Text size="xs" c="dimmed">
        {text.title}
      </Text>
      {secrets.length === 0 && <Text size="sm">{text.none}</Text>}
      {secrets.map(({ id: secretId, createdAt }) => (
        <Group key={secretId} gap="xs">
          <Icon name="key" size={16} />
          <Text size="sm">{text.from(<RelativeTime at={createdAt} />)}</Text>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => ask(question, () => revoke.mutateAsync({ path: { id, secretId } }))}
            aria-label={text.endOf(name, formatDateTime(createdAt))}
          >
            {text.end}
          </Button>
        </Group>
      ))}
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => add.mutate({ path: { id } })}
          loading={add.isPending}
          disabled={secrets.length >= MAX_SECRETS}
          aria-label={text.addOf(name)}
        >
          {text.add}
        </Button>
        {secrets.length >= MAX_SECRETS && (
          <Text size="xs" c="dimmed">
            {text.most}
          </Text>
        )}
      </Group>
    </Stack>
  )
}

const NewSecret = ({ secret, opened, onClose }: { secret: string; opened: boolean; onClose: () => void }) => (
  <Modal
    opened={opened}
    onClose={onClose}
    title={text.newTitle}
    closeOnClickOutside={false}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    <Stack>
      <OneTimeSecret label={text.label} value={secret} copy={text.copy} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{text.done}</Button>
      </Group>
    </Stack>
  </Modal>
)

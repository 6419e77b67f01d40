import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../../../api/use-api.ts'
import { clients } from '../../../../text/clients.ts'
import { shell } from '../../../../text/shell.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import { SecretOnce } from '../../../../ui/secret-once.tsx'
import { Moment, toExact } from '../../../../ui/time.tsx'
import type { Client } from './client-draft.ts'

const text = clients.secrets
const MOST = 2

/** The secrets of a client: two at most, so that one can be replaced without a gap. */
export function ClientSecrets({ client: { id, name, secrets } }: { client: Client }) {
  const [dialog, ask] = useConfirm()
  const [secret, setSecret] = useState('')
  const [shown, setShown] = useState(false)
  const refreshes = ['GET /api/admin/clients' as const]
  const add = useChange('POST /api/admin/clients/{id}/secrets', {
    refreshes,
    onDone: ({ clientSecret }) => {
      setSecret(clientSecret)
      setShown(true)
    },
  })
  const end = useChange('DELETE /api/admin/clients/{id}/secrets/{secretId}', {
    refreshes,
    onDone: () => showDone(text.ended),
  })
  const question = {
    title: text.endQuestion,
    text: text.endText(name, secrets.length === 1),
    action: text.endAction,
  }
  return (
    <Stack gap={6}>
      {dialog}
      <NewSecret secret={secret} opened={shown} onClose={() => setShown(false)} />
      <Text size="xs" c="dimmed">
        {text.title}
      </Text>
      {secrets.length === 0 && <Text size="sm">{text.none}</Text>}
      {secrets.map(({ id: secretId, createdAt }) => (
        <Group key={secretId} gap="xs">
          <Icon name="key" size={16} />
          <Text size="sm">
            {text.from} <Moment at={createdAt} />
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => ask(question, () => end.mutateAsync({ path: { id, secretId } }))}
            aria-label={text.endOf(name, toExact(createdAt))}
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
          disabled={secrets.length >= MOST}
          aria-label={text.addOf(name)}
        >
          {text.add}
        </Button>
        {secrets.length >= MOST && (
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
      <SecretOnce label={text.label} value={secret} copy={text.copy} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{text.done}</Button>
      </Group>
    </Stack>
  </Modal>
)

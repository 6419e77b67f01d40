import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { Link } from 'wouter'
import { useDeed } from '../../api/use-door.ts'
import { deliveries, webhooks as text } from '../../text/webhooks.ts'
import type { Question } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showDone } from '../../ui/notices.tsx'
import { doorOf, keyAt, type Webhook } from './door.ts'
import type { ShownSecret } from './secret-dialog.tsx'

interface ActionsProps {
  tenantId: string | undefined
  webhook: Webhook
  ask: (question: Question, deed: () => Promise<unknown>) => void
  onEdit: () => void
  onSecret: (shown: ShownSecret) => void
}

const ROTATION: Question = {
  title: text.secret.rotateTitle,
  text: text.secret.rotateText,
  action: text.secret.rotateAction,
  hurts: false,
}

/** What one can do with a webhook. */
export function WebhookActions({ tenantId, webhook, ask, onEdit, onSecret }: ActionsProps) {
  const door = doorOf(tenantId)
  const refreshes = [keyAt(tenantId)]
  const { id, url, disabled } = webhook
  const toggle = useDeed((off: boolean) => door.change(id, { disabled: off }), {
    refreshes,
    onDone: (_reply, off) =>
      showDone(off ? text.disabled : text.enabled, off ? () => toggle.mutate(false) : undefined),
  })
  const rotate = useDeed(() => door.rotate(id), {
    refreshes,
    onDone: ({ secret, previousSecretUntil }) => onSecret({ secret, previousUntil: previousSecretUntil }),
  })
  const remove = useDeed(() => door.remove(id), {
    refreshes,
    onDone: () => showDone(text.remove.done),
  })
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button component={Link} href={`/${id}`} size="compact-sm" variant="default">
        {deliveries.title}
      </Button>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" aria-label={text.more(url)}>
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={onEdit}>
            {text.edit}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name={disabled ? 'play' : 'cross'} size={16} />}
            onClick={() => toggle.mutate(!disabled)}
          >
            {disabled ? text.enable : text.disable}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="key" size={16} />}
            onClick={() => ask(ROTATION, () => rotate.mutateAsync(undefined))}
          >
            {text.secret.rotate}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() =>
              ask(
                { title: text.remove.title, text: text.remove.text(url), action: text.remove.confirm },
                () => remove.mutateAsync(undefined),
              )
            }
          >
            {text.remove.action}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

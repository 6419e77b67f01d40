import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { Link } from 'wouter'
import { useAction } from '../../api/query-hooks.ts'
import { deliveries, webhooks as text } from '../../text/webhooks.ts'
import type { Ask, Confirmation } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showSuccess } from '../../ui/notifications.tsx'
import type { IssuedSecret } from './secret-dialog.tsx'
import { type Webhook, webhooksApi, webhooksKey } from './webhooks-api.ts'

interface ActionsProps {
  tenantId: string | undefined
  webhook: Webhook
  ask: Ask
  onEdit: () => void
  onSecret: (issued: IssuedSecret) => void
}

const ROTATION: Confirmation = {
  title: text.secret.rotateTitle,
  text: text.secret.rotateText,
  action: text.secret.rotateAction,
  isDestructive: false,
}

/** The actions menu of a webhook. */
export function WebhookActions({ tenantId, webhook, ask, onEdit, onSecret }: ActionsProps) {
  const api = webhooksApi(tenantId)
  const invalidates = [webhooksKey(tenantId)]
  const { id, url, disabled } = webhook
  const toggle = useAction((isDisabled: boolean) => api.change(id, { disabled: isDisabled }), {
    invalidates,
    onSuccess: (_reply, isDisabled) =>
      showSuccess(isDisabled ? text.disabled : text.enabled, isDisabled ? () => toggle.mutate(false) : undefined),
  })
  const rotate = useAction(() => api.rotate(id), {
    invalidates,
    onSuccess: ({ secret, previousSecretUntil }) => onSecret({ secret, previousUntil: previousSecretUntil }),
  })
  const remove = useAction(() => api.remove(id), {
    invalidates,
    onSuccess: () => showSuccess(text.remove.done),
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
              ask({ title: text.remove.title, text: text.remove.text(url), action: text.remove.confirm }, () =>
                remove.mutateAsync(undefined),
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

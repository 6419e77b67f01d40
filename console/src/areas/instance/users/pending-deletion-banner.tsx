import { Alert, Button, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { users } from '../../../text/users.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { formatDate } from '../../../ui/time.tsx'
import type { UserDetails } from './types.ts'

const text = users.deletion

/** A banner for a pending deletion, with a restore button. */
export function PendingDeletionBanner({ user: { id, displayName, erasedAt } }: { user: UserDetails }) {
  const restore = useApiMutation('POST /api/admin/users/{id}/restore', {
    invalidates: ['GET /api/admin/users/{id}', 'GET /api/admin/users', 'GET /api/admin/overview'],
    onSuccess: () => showSuccess(text.restored(displayName)),
  })
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={text.banner}>
      <Stack gap="sm" align="flex-start">
        {erasedAt !== null && <Text size="sm">{text.erasureDate(formatDate(erasedAt))}</Text>}
        <Button
          size="compact-md"
          variant="default"
          loading={restore.isPending}
          onClick={() => restore.mutate({ path: { id } })}
        >
          {text.restore}
        </Button>
      </Stack>
    </Alert>
  )
}

import { Alert, Button, Stack, Text } from '@mantine/core'
import { useChange } from '../../../api/use-api.ts'
import { people } from '../../../text/people.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { toDay } from '../../../ui/time.tsx'
import type { UserDetails } from './user.tsx'

const text = people.deletion

/** Says that an account is about to be erased, and offers the way back. */
export function LeavingUser({ user: { id, displayName, erasedAt } }: { user: UserDetails }) {
  const restore = useChange('POST /api/admin/users/{id}/restore', {
    refreshes: ['GET /api/admin/users/{id}', 'GET /api/admin/users', 'GET /api/admin/overview'],
    onDone: () => showDone(text.restored(displayName)),
  })
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={text.banner}>
      <Stack gap="sm" align="flex-start">
        {erasedAt !== null && <Text size="sm">{text.erased(toDay(erasedAt))}</Text>}
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

import { Alert, Button, Group, Text } from '@mantine/core'
import { useApiMutation } from '../api/use-api.ts'
import { currentLocale } from '../languages/catalog.ts'
import { useMe } from '../me.tsx'
import { supportAccess } from '../text/support-access.ts'
import { Icon } from '../ui/icon.tsx'

const text = supportAccess.banner
const time = new Intl.DateTimeFormat(currentLocale(), { hour: 'numeric', minute: '2-digit' })

/** Says on every page who acts as whom, and ends it. */
export function SupportBanner() {
  const { profile } = useMe()
  const { supportAccess: access, displayName } = profile
  // The page loads again for the operator.
  const end = useApiMutation('DELETE /api/users/me/support-session', {
    onSuccess: () => window.location.assign('/support-access'),
  })
  if (!access) return null
  const until = time.format(new Date(access.endsAt))
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="warning" />} title={text.title} role="status" mb="lg">
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text.text(access.operatorName, displayName, access.tenantName, until)}
        </Text>
        <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate({})}>
          {text.end}
        </Button>
      </Group>
    </Alert>
  )
}

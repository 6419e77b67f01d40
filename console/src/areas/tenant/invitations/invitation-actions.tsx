import { Button, Group } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { invitations as text } from '../../../text/invitations.ts'
import type { Ask } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { manageableRoles } from '../roles.ts'
import { useTenant } from '../tenant.ts'
import type { Invitation } from './use-invitation-page.ts'

/** Resends or revokes a pending invitation. Requires a role that may grant the role of the invitation. */
export function InvitationActions({
  invitation: { id: invitationId, email, role, status },
  ask,
}: {
  invitation: Invitation
  ask: Ask
}) {
  const tenant = useTenant()
  const path = { id: tenant.id, invitationId }
  const resend = useApiMutation('POST /api/tenants/{id}/invitations/{invitationId}/resend', {
    invalidates: ['GET /api/tenants/{id}/invitations'],
    onSuccess: () => showSuccess(text.resent(email)),
  })
  const revoke = useApiMutation('DELETE /api/tenants/{id}/invitations/{invitationId}', {
    invalidates: ['GET /api/tenants/{id}/invitations', 'GET /api/tenants/{id}/members'],
    onSuccess: () => showSuccess(text.revoke.done(email)),
  })
  if (status !== 'PENDING' || !manageableRoles(tenant.role).includes(role)) return null
  const { title, confirm: action } = text.revoke
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={text.resendTo(email)}
        loading={resend.isPending}
        onClick={() => resend.mutate({ path })}
      >
        {text.resend}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={text.revoke.of(email)}
        onClick={() => ask({ title, action, text: text.revoke.text(email) }, () => revoke.mutateAsync({ path }))}
      >
        {text.revoke.action}
      </Button>
    </Group>
  )
}

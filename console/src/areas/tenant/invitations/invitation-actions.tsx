import { Button, Group } from '@mantine/core'
import { useChange } from '../../../api/use-api.ts'
import { invitations as text } from '../../../text/invitations.ts'
import type { Question } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { reachOf } from '../reach.ts'
import { useTenant } from '../tenant.ts'
import type { Invitation } from './use-invitation-page.ts'

/** An open invitation can be sent again or taken back, by whoever could have sent it. */
export function InvitationActions({
  invitation: { id: invitationId, email, role, status },
  ask,
}: {
  invitation: Invitation
  ask: (question: Question, deed: () => Promise<unknown>) => void
}) {
  const tenant = useTenant()
  const path = { id: tenant.id, invitationId }
  const resend = useChange('POST /api/tenants/{id}/invitations/{invitationId}/resend', {
    refreshes: ['GET /api/tenants/{id}/invitations'],
    onDone: () => showDone(text.resent(email)),
  })
  const revoke = useChange('DELETE /api/tenants/{id}/invitations/{invitationId}', {
    refreshes: ['GET /api/tenants/{id}/invitations', 'GET /api/tenants/{id}/members'],
    onDone: () => showDone(text.revoke.done(email)),
  })
  if (status !== 'PENDING' || !reachOf(tenant.role).includes(role)) return null
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
        onClick={() =>
          ask({ title, action, text: text.revoke.text(email) }, () => revoke.mutateAsync({ path }))
        }
      >
        {text.revoke.action}
      </Button>
    </Group>
  )
}

import { Divider, Stack } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { users } from '../../../text/users.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ActionRow } from '../kit/action-row.tsx'
import type { UserDetails } from './types.ts'

const text = users.security

/** Resets the password, sessions or second factors of a user. */
export function UserSecurity({ user: { id, displayName: name, mfaEnabled } }: { user: UserDetails }) {
  const [dialog, ask] = useConfirm()
  const invalidates = ['GET /api/admin/users/{id}' as const]
  const path = { id }
  const reset = useApiMutation('POST /api/admin/users/{id}/password-reset', {
    invalidates,
    onSuccess: ({ message }) => showSuccess(message),
  })
  const sessions = useApiMutation('DELETE /api/admin/users/{id}/sessions', {
    invalidates,
    onSuccess: ({ count }) => showSuccess(text.sessions.done(count)),
  })
  const mfa = useApiMutation('DELETE /api/admin/users/{id}/mfa', {
    invalidates,
    onSuccess: () => showSuccess(text.mfa.done),
  })
  const renderAction = (labels: typeof text.reset, run: () => Promise<unknown>) => (
    <ActionRow
      title={labels.title}
      text={labels.text}
      action={labels.action}
      onAct={() => ask({ title: labels.question(name), text: labels.text, action: labels.action }, run)}
    />
  )
  return (
    <Section title={text.title} lead={text.lead}>
      <Stack>
        {renderAction(text.reset, () => reset.mutateAsync({ path }))}
        <Divider />
        {renderAction(text.sessions, () => sessions.mutateAsync({ path }))}
        {mfaEnabled && (
          <>
            <Divider />
            {renderAction(text.mfa, () => mfa.mutateAsync({ path }))}
          </>
        )}
      </Stack>
      {dialog}
    </Section>
  )
}

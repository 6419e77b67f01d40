import { Divider, Stack } from '@mantine/core'
import { useChange } from '../../../api/use-api.ts'
import { people } from '../../../text/people.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Deed } from '../kit/deed.tsx'
import type { UserDetails } from './user.tsx'

const text = people.security

/** Ends what lets somebody in, when it was lost or got into the wrong hands. */
export function UserSecurity({ user: { id, displayName: name, mfaEnabled } }: { user: UserDetails }) {
  const [dialog, ask] = useConfirm()
  const refreshes = ['GET /api/admin/users/{id}' as const]
  const path = { id }
  const reset = useChange('POST /api/admin/users/{id}/password-reset', {
    refreshes,
    onDone: ({ message }) => showDone(message),
  })
  const sessions = useChange('DELETE /api/admin/users/{id}/sessions', {
    refreshes,
    onDone: ({ count }) => showDone(text.sessions.done(count)),
  })
  const mfa = useChange('DELETE /api/admin/users/{id}/mfa', {
    refreshes,
    onDone: () => showDone(text.mfa.done),
  })
  const offer = (words: typeof text.reset, deed: () => Promise<unknown>) => (
    <Deed
      title={words.title}
      text={words.text}
      action={words.action}
      onAct={() => ask({ title: words.question(name), text: words.text, action: words.action }, deed)}
    />
  )
  return (
    <Section title={text.title} lead={text.lead}>
      <Stack>
        {offer(text.reset, () => reset.mutateAsync({ path }))}
        <Divider />
        {offer(text.sessions, () => sessions.mutateAsync({ path }))}
        {mfaEnabled && (
          <>
            <Divider />
            {offer(text.mfa, () => mfa.mutateAsync({ path }))}
          </>
        )}
      </Stack>
      {dialog}
    </Section>
  )
}

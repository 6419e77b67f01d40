import type { Input } from '@latchkey/client'
import { Divider, Stack } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { signingKeys } from '../../../text/signing-keys.ts'
import { type Confirmation, useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { formatRelative } from '../../../ui/time.tsx'
import { ActionRow } from '../kit/action-row.tsx'

const text = signingKeys.rotation
type RotationRequest = NonNullable<Input<'POST /api/admin/keys/rotate'>['body']>

/** The three kinds of key rotation, ordered by their impact on clients. */
export function KeyRotation() {
  const [dialog, ask] = useConfirm()
  const rotate = useApiMutation('POST /api/admin/keys/rotate', {
    invalidates: ['GET /api/admin/keys', 'GET /api/admin/overview'],
    onSuccess: ({ kid, state, activatesAt }) => {
      const short = kid.slice(0, 8)
      showSuccess(state === 'upcoming' ? text.next(short, formatRelative(activatesAt)) : text.done(short))
    },
  })
  const renderAction = (body: RotationRequest, labels: typeof text.usual, overrides: Partial<Confirmation> = {}) => (
    <ActionRow
      title={labels.title}
      text={labels.text}
      action={labels.action}
      isDestructive={body.leaked === true}
      onAct={() =>
        ask({ title: labels.question, text: labels.text, action: labels.action, ...overrides }, () =>
          rotate.mutateAsync({ body }),
        )
      }
    />
  )
  return (
    <Section title={text.title}>
      <Stack>
        {renderAction({}, text.usual, { isDestructive: false })}
        <Divider />
        {renderAction({ immediately: true }, text.atOnce)}
        <Divider />
        {renderAction({ leaked: true }, text.leaked, {
          text: text.leaked.warning,
          confirmText: text.leaked.word,
        })}
      </Stack>
      {dialog}
    </Section>
  )
}

import { Divider, Stack } from '@mantine/core'
import { useChange } from '../../../api/use-api.ts'
import { people } from '../../../text/people.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Deed } from '../kit/deed.tsx'
import { useUserChange } from './use-user-change.ts'
import type { UserDetails } from './user.tsx'

const { danger, disabling, deletion } = people

/** Locks an account for a while, or lets it go. */
export function UserDanger({ user: { id, displayName: name, email, disabled } }: { user: UserDetails }) {
  const [dialog, ask] = useConfirm()
  const { turn, isPending } = useUserChange(id)
  const remove = useChange('DELETE /api/admin/users/{id}', {
    refreshes: ['GET /api/admin/users/{id}', 'GET /api/admin/users', 'GET /api/admin/overview'],
    onDone: () => showDone(deletion.done(name)),
  })
  const toggle = () =>
    disabled
      ? void turn({ disabled: false }, disabling.enabled(name)).catch(() => {})
      : ask(
          { title: disabling.question(name), text: disabling.consequences, action: disabling.disable },
          () => turn({ disabled: true }, disabling.disabled(name), { disabled: false }),
        )
  return (
    <Section title={danger}>
      <Stack>
        <Deed
          title={disabling.title}
          text={disabled ? disabling.disabledText : disabling.enabledText}
          action={disabled ? disabling.enable : disabling.disable}
          hurts={!disabled}
          busy={isPending}
          onAct={toggle}
        />
        <Divider />
        <Deed
          title={deletion.title}
          text={deletion.text}
          action={deletion.action}
          hurts
          onAct={() =>
            ask(
              {
                title: deletion.question(name),
                text: deletion.consequences,
                action: deletion.action,
                typed: email,
              },
              () => remove.mutateAsync({ path: { id } }),
            )
          }
        />
      </Stack>
      {dialog}
    </Section>
  )
}

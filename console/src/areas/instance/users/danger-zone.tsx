import { Divider, Stack } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { users } from '../../../text/users.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ActionRow } from '../kit/action-row.tsx'
import type { UserDetails } from './types.ts'
import { useUserChange } from './use-user-change.ts'

const { danger, disabling, deletion } = users

/** Disables or deletes an account. */
export function UserDangerZone({ user: { id, displayName: name, email, disabled } }: { user: UserDetails }) {
  const [dialog, ask] = useConfirm()
  const { changeFlags, isPending } = useUserChange(id)
  const remove = useApiMutation('DELETE /api/admin/users/{id}', {
    invalidates: ['GET /api/admin/users/{id}', 'GET /api/admin/users', 'GET /api/admin/overview'],
    onSuccess: () => showSuccess(deletion.done(name)),
  })
  const toggle = () =>
    disabled
      ? void changeFlags({ disabled: false }, disabling.enabledToast(name)).catch(() => {})
      : ask({ title: disabling.question(name), text: disabling.consequences, action: disabling.disable }, () =>
          changeFlags({ disabled: true }, disabling.disabledToast(name), { disabled: false }),
        )
  return (
    <Section title={danger}>
      <Stack>
        <ActionRow
          title={disabling.title}
          text={disabled ? disabling.enableText : disabling.disableText}
          action={disabled ? disabling.enable : disabling.disable}
          isDestructive={!disabled}
          busy={isPending}
          onAct={toggle}
        />
        <Divider />
        <ActionRow
          title={deletion.title}
          text={deletion.text}
          action={deletion.action}
          isDestructive
          onAct={() =>
            ask(
              {
                title: deletion.question(name),
                text: deletion.consequences,
                action: deletion.action,
                confirmText: email,
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

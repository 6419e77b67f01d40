import { Button } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { inlineErrors } from '../form-options.ts'
import { PasswordField } from '../password-field.tsx'
import { ReauthenticationDialog } from '../reauthentication-form.tsx'

const { password: text } = security

/** Super admins need a longer password. */
const MIN_LENGTH = 8
const MIN_LENGTH_SUPER_ADMIN = 15

export function PasswordSection() {
  const { access } = useMe()
  const [changing, setChanging] = useState(false)
  if (!access.hasPassword) return <NoPassword />
  return (
    <Section
      title={text.title}
      lead={access.passwordSignIn ? text.set : text.switchedOff}
      actions={
        <Button variant="default" onClick={() => setChanging(true)}>
          {text.change}
        </Button>
      }
    >
      <ChangeDialog opened={changing} close={() => setChanging(false)} />
    </Section>
  )
}

/** The first password is set through the password reset mail. */
function NoPassword() {
  const { access, profile } = useMe()
  const mail = useApiMutation('POST /api/auth/password/forgot', {
    onSuccess: () => showSuccess(text.mailed(profile.email)),
  })
  return (
    <Section
      title={text.title}
      lead={access.passwordSignIn ? text.none : text.noneNeeded}
      actions={
        access.passwordSignIn && (
          <Button
            variant="default"
            loading={mail.isPending}
            onClick={() => mail.mutate({ body: { email: profile.email } })}
          >
            {text.mail}
          </Button>
        )
      }
    />
  )
}

const FIELD_OF = { WEAK_PASSWORD: 'newPassword', SAME_PASSWORD: 'newPassword' }

function ChangeDialog({ opened, close }: { opened: boolean; close: () => void }) {
  const { access, profile } = useMe()
  const [newPassword, setNewPassword] = useState('')
  const change = useApiMutation('POST /api/users/me/password', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me/sessions'],
  })
  const reset = () => {
    setNewPassword('')
    close()
  }
  return (
    <ReauthenticationDialog
      title={text.change}
      opened={opened}
      text={text.ends}
      action={text.change}
      passwordPrompt="always"
      passwordLabel={text.current}
      fieldOf={FIELD_OF}
      onCancel={reset}
      submit={async (currentPassword = '') => {
        await change.mutateAsync({ body: { currentPassword, newPassword } })
        showSuccess(text.changed)
        reset()
      }}
      after={(fieldErrors) => (
        <>
          <input type="text" autoComplete="username" value={profile.email} readOnly hidden />
          <PasswordField
            label={text.new}
            kind="new-password"
            hint={text.rule(access.superAdmin ? MIN_LENGTH_SUPER_ADMIN : MIN_LENGTH)}
            value={newPassword}
            onChange={setNewPassword}
            error={fieldErrors.newPassword}
          />
        </>
      )}
    />
  )
}

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { security } from '../../../text/security.ts'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { ConfirmedDialog } from '../confirmed-form.tsx'
import { shownInForm } from '../inline.ts'
import { PasswordField } from '../password-field.tsx'

const { password: text } = security

/** Whoever can do everything must choose a longer one. */
const LEAST = 8
const LEAST_OF_SUPER_ADMIN = 15

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

/** The first password comes by mail, like another one for who has forgotten theirs. */
function NoPassword() {
  const { access, profile } = useMe()
  const mail = useChange('POST /api/auth/password/forgot', {
    onDone: () => showDone(text.mailed(profile.email)),
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
  const change = useChange('POST /api/users/me/password', {
    ...shownInForm,
    refreshes: ['GET /api/users/me/sessions'],
  })
  const leave = () => {
    setNewPassword('')
    close()
  }
  return (
    <ConfirmedDialog
      title={text.change}
      opened={opened}
      text={text.ends}
      action={text.change}
      asks="always"
      passwordLabel={text.current}
      fieldOf={FIELD_OF}
      onCancel={leave}
      submit={async (currentPassword = '') => {
        await change.mutateAsync({ body: { currentPassword, newPassword } })
        showDone(text.changed)
        leave()
      }}
      after={(fields) => (
        <>
          <input type="text" autoComplete="username" value={profile.email} readOnly hidden />
          <PasswordField
            label={text.new}
            kind="new-password"
            hint={text.rule(access.superAdmin ? LEAST_OF_SUPER_ADMIN : LEAST)}
            value={newPassword}
            onChange={setNewPassword}
            error={fields.newPassword}
          />
        </>
      )}
    />
  )
}

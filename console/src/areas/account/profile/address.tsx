import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationDialog } from '../reauthentication-form.tsx'

const { address: text } = account

/** The email address of the account, its verification and its change. */
export function AddressSection() {
  const { profile } = useMe()
  const [changing, setChanging] = useState(false)
  const [mailed, setMailed] = useState<string>()
  return (
    <Section
      title={text.title}
      lead={text.lead}
      actions={
        <Button variant="default" onClick={() => setChanging(true)}>
          {text.change}
        </Button>
      }
    >
      <Group gap="xs">
        <Text fw={600}>{profile.email}</Text>
        <StatusBadge tone={profile.emailVerified ? 'good' : 'waiting'}>
          {profile.emailVerified ? text.verified : text.unverified}
        </StatusBadge>
      </Group>
      {!profile.emailVerified && <Unverified email={profile.email} />}
      {mailed !== undefined && (
        <Alert icon={<Icon name="mail" />} title={text.sent.title} role="status">
          {text.sent.text(mailed)}
        </Alert>
      )}
      <ChangeDialog opened={changing} close={() => setChanging(false)} onMailed={setMailed} />
    </Section>
  )
}

function Unverified({ email }: { email: string }) {
  const resend = useApiMutation('POST /api/users/me/email/verification', {
    onSuccess: () => showSuccess(text.resent(email)),
  })
  return (
    <Group gap="sm">
      <Text size="sm" flex="1 1 280px">
        {text.unverifiedText}
      </Text>
      <Button variant="light" loading={resend.isPending} onClick={() => resend.mutate({})}>
        {text.resend}
      </Button>
    </Group>
  )
}

interface ChangeDialogProps {
  opened: boolean
  close: () => void
  onMailed: (email: string) => void
}

function ChangeDialog({ opened, close, onMailed }: ChangeDialogProps) {
  const [newEmail, setNewEmail] = useState('')
  const change = useApiMutation('POST /api/users/me/email', inlineErrors)
  return (
    <ReauthenticationDialog
      title={text.change}
      opened={opened}
      text={text.explain}
      action={text.send}
      passwordPrompt="always"
      onCancel={close}
      submit={async (password) => {
        await change.mutateAsync({ body: { newEmail, ...toPasswordField(password) } })
        onMailed(newEmail)
        setNewEmail('')
        close()
      }}
      before={(fieldErrors) => (
        <TextInput
          label={text.newEmail}
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          value={newEmail}
          onChange={(event) => setNewEmail(event.currentTarget.value)}
          error={fieldErrors.newEmail}
          data-autofocus
        />
      )}
    />
  )
}

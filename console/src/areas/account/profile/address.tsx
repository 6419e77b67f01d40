import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { ConfirmedDialog } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'

const { address: text } = account

/** The address one signs in with: whether it is confirmed, and how it becomes another. */
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
  const resend = useChange('POST /api/users/me/email/verification', {
    onDone: () => showDone(text.resent(email)),
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
  const change = useChange('POST /api/users/me/email', shownInForm)
  return (
    <ConfirmedDialog
      title={text.change}
      opened={opened}
      text={text.explain}
      action={text.send}
      asks="always"
      onCancel={close}
      submit={async (password) => {
        await change.mutateAsync({ body: { newEmail, ...withPassword(password) } })
        onMailed(newEmail)
        setNewEmail('')
        close()
      }}
      before={(fields) => (
        <TextInput
          label={text.newEmail}
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          value={newEmail}
          onChange={(event) => setNewEmail(event.currentTarget.value)}
          error={fields.newEmail}
          data-autofocus
        />
      )}
    />
  )
}

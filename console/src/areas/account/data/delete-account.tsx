import { Alert, Anchor, Button, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useApiMutation } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { signOut } from '../../../session/session.ts'
import { ownData } from '../../../text/own-data.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import { hasErrorCode } from '../form-error.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationForm } from '../reauthentication-form.tsx'

const { deletion: text } = ownData

/** Deletes the account of the user. Afterwards the dialog only leads to the sign-in page. */
export function DeleteAccount({ opened, close }: { opened: boolean; close: () => void }) {
  const [isDeleted, setDeleted] = useState(false)
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isDeleted ? text.gone : text.dialog}
      closeButtonProps={{ 'aria-label': shell.close }}
      {...(isDeleted && { withCloseButton: false, closeOnEscape: false, closeOnClickOutside: false })}
    >
      {isDeleted ? <Deleted /> : <DeletionForm close={close} onDeleted={() => setDeleted(true)} />}
    </Modal>
  )
}

function DeletionForm({ close, onDeleted }: { close: () => void; onDeleted: () => void }) {
  const [word, setWord] = useState('')
  const remove = useApiMutation('DELETE /api/users/me', inlineErrors)
  return (
    <ReauthenticationForm
      text={
        <List size="sm" spacing={4}>
          {text.consequences.map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      }
      action={text.action}
      isDestructive
      passwordPrompt="always"
      disabled={word !== text.word}
      onCancel={close}
      submit={async (password) => {
        await remove.mutateAsync({ body: { confirmation: word, ...toPasswordField(password) } })
        onDeleted()
      }}
      before={() => (
        <TextInput
          label={shell.typeToConfirm(text.word)}
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      explain={(error) => <OwnedTenants error={error} />}
    />
  )
}

/** Links to the member lists of tenants whose last owner the user is. */
function OwnedTenants({ error }: { error: unknown }) {
  const { tenants } = useMe()
  if (!hasErrorCode(error, 'TENANT_OWNER')) return null
  const { tenants: listed = [] } = (error.details ?? {}) as { tenants?: { id: string; name: string }[] }
  const owned = listed.map(({ id, name }) => ({
    id,
    name,
    slug: tenants.find((tenant) => tenant.id === id)?.slug,
  }))
  if (owned.length === 0) return null
  return (
    <Alert icon={<Icon name="building" />} color="gray">
      <Text size="sm" mb={4}>
        {text.inTheWay}
      </Text>
      <List size="sm">
        {owned.map(({ id, name, slug }) => (
          <List.Item key={id}>
            {slug === undefined ? (
              name
            ) : (
              <Anchor component={Link} href={`~/console/t/${slug}/members`} size="sm" underline="always">
                {text.membersOf(name)}
              </Anchor>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

const Deleted = () => (
  <Stack>
    <Text size="sm" role="status">
      {text.goneText}
    </Text>
    <Button onClick={() => void signOut()}>{text.toSignIn}</Button>
  </Stack>
)

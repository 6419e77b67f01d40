import { Alert, Anchor, Button, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useChange } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { signOut } from '../../../session/session.ts'
import { ownData } from '../../../text/own-data.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import { ConfirmedForm } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'
import { isRefusedFor } from '../refusal.tsx'

const { deletion: text } = ownData

/** The way out. Once it is taken there is nothing here any more but the sign-in page. */
export function DeleteAccount({ opened, close }: { opened: boolean; close: () => void }) {
  const [isGone, setGone] = useState(false)
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isGone ? text.gone : text.dialog}
      closeButtonProps={{ 'aria-label': shell.close }}
      {...(isGone && { withCloseButton: false, closeOnEscape: false, closeOnClickOutside: false })}
    >
      {isGone ? <Gone /> : <Ask close={close} onGone={() => setGone(true)} />}
    </Modal>
  )
}

function Ask({ close, onGone }: { close: () => void; onGone: () => void }) {
  const [word, setWord] = useState('')
  const remove = useChange('DELETE /api/users/me', shownInForm)
  return (
    <ConfirmedForm
      text={
        <List size="sm" spacing={4}>
          {text.consequences.map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      }
      action={text.action}
      hurts
      asks="always"
      disabled={word !== text.word}
      onCancel={close}
      submit={async (password) => {
        await remove.mutateAsync({ body: { confirmation: word, ...withPassword(password) } })
        onGone()
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
      explain={(error) => <TenantsInTheWay error={error} />}
    />
  )
}

/** Whoever is the last owner of a tenant finds the way to where another is made. */
function TenantsInTheWay({ error }: { error: unknown }) {
  const { tenants } = useMe()
  if (!isRefusedFor(error, 'TENANT_OWNER')) return null
  const { tenants: named = [] } = (error.details ?? {}) as { tenants?: { id: string; name: string }[] }
  const own = named.map(({ id, name }) => ({ id, name, slug: tenants.find((one) => one.id === id)?.slug }))
  if (own.length === 0) return null
  return (
    <Alert icon={<Icon name="building" />} color="gray">
      <Text size="sm" mb={4}>
        {text.inTheWay}
      </Text>
      <List size="sm">
        {own.map(({ id, name, slug }) => (
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

const Gone = () => (
  <Stack>
    <Text size="sm" role="status">
      {text.goneText}
    </Text>
    <Button onClick={() => void signOut()}>{text.toSignIn}</Button>
  </Stack>
)

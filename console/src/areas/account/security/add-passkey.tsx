import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { createPasskey } from '../../../lib/passkeys.ts'
import { security } from '../../../text/security.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { inlineErrors, toPasswordField } from '../form-options.ts'
import { ReauthenticationForm } from '../reauthentication-form.tsx'
import { CodesDialog } from './recovery-codes.tsx'

const { passkeys: text } = security

/** Adds a passkey. The first second factor of an account comes with recovery codes. */
export function AddPasskey({ opened, close }: { opened: boolean; close: () => void }) {
  const [name, setName] = useState('')
  const [codes, setCodes] = useState<string[]>()
  const requestOptions = useApiMutation('POST /api/users/me/mfa/passkeys/options', inlineErrors)
  const add = useApiMutation('POST /api/users/me/mfa/passkeys', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me/mfa/passkeys', 'GET /api/users/me/mfa', 'GET /api/users/me'],
    onSuccess: (added) => {
      showSuccess(text.added(added.name))
      if (added.recoveryCodes) setCodes(added.recoveryCodes)
      else close()
    },
  })
  useEffect(() => {
    if (!opened) return
    setName('')
    setCodes(undefined)
  }, [opened])
  return (
    <CodesDialog title={text.add} opened={opened} onClose={close} codes={codes}>
      <ReauthenticationForm
        text={text.addText}
        action={text.add}
        passwordPrompt="when-old"
        onCancel={close}
        submit={async (password) => {
          const options = await requestOptions.mutateAsync({ body: toPasswordField(password) })
          const credential = await createPasskey(options)
          const trimmedName = name.trim()
          await add.mutateAsync({ body: { ...credential, ...(trimmedName !== '' && { name: trimmedName }) } })
        }}
        before={(fieldErrors) => (
          <TextInput
            label={text.name}
            description={text.nameHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldErrors.name}
            autoComplete="off"
            maxLength={100}
            data-autofocus
          />
        )}
      />
    </CodesDialog>
  )
}

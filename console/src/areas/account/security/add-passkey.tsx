import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { makePasskey } from '../../../lib/passkeys.ts'
import { security } from '../../../text/security.ts'
import { showDone } from '../../../ui/notices.tsx'
import { ConfirmedForm } from '../confirmed-form.tsx'
import { shownInForm, withPassword } from '../inline.ts'
import { CodesDialog } from './recovery-codes.tsx'

const { passkeys: text } = security

/** Adds a passkey; the first second factor of all comes with recovery codes. */
export function AddPasskey({ opened, close }: { opened: boolean; close: () => void }) {
  const [name, setName] = useState('')
  const [codes, setCodes] = useState<string[]>()
  const begin = useChange('POST /api/users/me/mfa/passkeys/options', shownInForm)
  const add = useChange('POST /api/users/me/mfa/passkeys', {
    ...shownInForm,
    refreshes: ['GET /api/users/me/mfa/passkeys', 'GET /api/users/me/mfa', 'GET /api/users/me'],
    onDone: (added) => {
      showDone(text.added(added.name))
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
      <ConfirmedForm
        text={text.addText}
        action={text.add}
        asks="when-old"
        onCancel={close}
        submit={async (password) => {
          const options = await begin.mutateAsync({ body: withPassword(password) })
          const credential = await makePasskey(options)
          const called = name.trim()
          await add.mutateAsync({ body: { ...credential, ...(called !== '' && { name: called }) } })
        }}
        before={(fields) => (
          <TextInput
            label={text.name}
            description={text.nameHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fields.name}
            autoComplete="off"
            maxLength={100}
            data-autofocus
          />
        )}
      />
    </CodesDialog>
  )
}

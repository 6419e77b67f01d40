import { NumberInput, TagsInput, TextInput } from '@mantine/core'
import { useApiMutation } from '../../../../api/use-api.ts'
import { lists } from '../../../../text/lists.ts'
import { registrationTokens as text } from '../../../../text/registration-tokens.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { listErrorOf } from '../../../../ui/lines-input.tsx'
import type { DialogDraft } from '../../../../ui/use-dialog-draft.ts'

export interface TokenDraft {
  name: string
  maxUses: number
  expiresInDays: number
  redirectHosts: string[]
}

export const newTokenDraft = (): TokenDraft => ({ name: '', maxUses: 1, expiresInDays: 7, redirectHosts: [] })

/** Creates a registration token. */
export function RegistrationTokenDialog({
  dialog: { draft, opened, change, close },
  onCreated,
}: {
  dialog: DialogDraft<TokenDraft>
  onCreated: (registrationToken: string) => void
}) {
  const create = useApiMutation('POST /api/admin/registration-tokens', {
    invalidates: ['GET /api/admin/registration-tokens'],
    onError: () => true,
    onSuccess: ({ registrationToken }) => onCreated(registrationToken),
  })
  const { name, maxUses, expiresInDays, redirectHosts } = draft
  const submit = () =>
    create.mutateAsync({
      body: { name, maxUses, expiresInDays, redirectHosts: redirectHosts.length === 0 ? null : redirectHosts },
    })
  return (
    <FormDialog title={text.createTitle} opened={opened} onClose={close} action={text.add} submit={submit}>
      {(fieldErrors) => (
        <>
          <TextInput
            label={text.name}
            description={text.nameText}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={fieldErrors.name}
            autoComplete="off"
            required
            data-autofocus
          />
          <NumberInput
            label={text.uses}
            description={text.usesText}
            value={maxUses}
            onChange={(value) => change({ maxUses: Number(value) })}
            error={fieldErrors.maxUses}
            min={1}
            max={10_000}
            allowDecimal={false}
          />
          <NumberInput
            label={text.days}
            description={text.daysText}
            value={expiresInDays}
            onChange={(value) => change({ expiresInDays: Number(value) })}
            error={fieldErrors.expiresInDays}
            min={1}
            max={365}
            allowDecimal={false}
          />
          <TagsInput
            label={text.hosts}
            description={text.hostsText}
            value={redirectHosts}
            onChange={(values) => change({ redirectHosts: values })}
            error={listErrorOf(fieldErrors, 'redirectHosts', (index, message) =>
              lists.entry(redirectHosts[index] ?? '', message),
            )}
            splitChars={[' ', ',']}
            acceptValueOnBlur
          />
        </>
      )}
    </FormDialog>
  )
}

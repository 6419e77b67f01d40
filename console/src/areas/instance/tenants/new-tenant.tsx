import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useChange } from '../../../api/use-api.ts'
import { allTenants } from '../../../text/all-tenants.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { onField } from '../kit/on-field.ts'

const text = allTenants.new
const NOTHING = { name: '', slug: '', owner: '', mfa: false }

/** Makes a tenant for somebody. */
export function NewTenantDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(NOTHING)
  const [, navigate] = useLocation()
  const edit = (change: Partial<typeof NOTHING>) => setDraft((former) => ({ ...former, ...change }))
  const create = useChange('POST /api/admin/tenants', {
    refreshes: ['GET /api/admin/tenants', 'GET /api/admin/overview', 'GET /api/tenants'],
    onProblem: () => true,
    onDone: ({ id, name, invitation }) => {
      showDone(invitation ? text.invited(name, invitation.email) : text.created(name))
      setDraft(NOTHING)
      navigate(`/tenants/${id}`)
    },
  })
  const submit = () =>
    create
      .mutateAsync({
        body: {
          name: draft.name,
          ...(draft.slug.trim() !== '' && { slug: draft.slug.trim() }),
          ...(draft.owner.trim() !== '' && { ownerEmail: draft.owner.trim() }),
          ...(draft.mfa && { mfaPolicy: 'REQUIRED' as const }),
        },
      })
      .catch(onField('SLUG_TAKEN', 'slug'))
  return (
    <FormDialog title={text.title} opened={opened} onClose={onClose} action={text.action} submit={submit}>
      {(fields) => (
        <>
          <TextInput
            label={text.name}
            value={draft.name}
            onChange={(event) => edit({ name: event.currentTarget.value })}
            error={fields.name}
            required
            maxLength={120}
            autoComplete="off"
            data-autofocus
          />
          <TextInput
            label={text.slug}
            description={text.slugHint}
            value={draft.slug}
            onChange={(event) => edit({ slug: event.currentTarget.value })}
            error={fields.slug}
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            type="email"
            label={text.owner}
            description={text.ownerHint}
            value={draft.owner}
            onChange={(event) => edit({ owner: event.currentTarget.value })}
            error={fields.ownerEmail}
            autoComplete="off"
          />
          <Switch
            label={text.mfa}
            checked={draft.mfa}
            onChange={(event) => edit({ mfa: event.currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
  )
}

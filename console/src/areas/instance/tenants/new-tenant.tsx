import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useApiMutation } from '../../../api/use-api.ts'
import { allTenants } from '../../../text/all-tenants.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { toFieldError } from '../kit/field-error.ts'

const text = allTenants.new
const EMPTY_DRAFT = { name: '', slug: '', owner: '', mfa: false }

/** Creates a tenant for an owner. */
export function NewTenantDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [, navigate] = useLocation()
  const edit = (change: Partial<typeof EMPTY_DRAFT>) => setDraft((previous) => ({ ...previous, ...change }))
  const create = useApiMutation('POST /api/admin/tenants', {
    invalidates: ['GET /api/admin/tenants', 'GET /api/admin/overview', 'GET /api/tenants'],
    onError: () => true,
    onSuccess: ({ id, name, invitation }) => {
      showSuccess(invitation ? text.invited(name, invitation.email) : text.created(name))
      setDraft(EMPTY_DRAFT)
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
      .catch(toFieldError('SLUG_TAKEN', 'slug'))
  return (
    <FormDialog title={text.title} opened={opened} onClose={onClose} action={text.action} submit={submit}>
      {(fieldErrors) => (
        <>
          <TextInput
            label={text.name}
            value={draft.name}
            onChange={(event) => edit({ name: event.currentTarget.value })}
            error={fieldErrors.name}
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
            error={fieldErrors.slug}
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            type="email"
            label={text.owner}
            description={text.ownerHint}
            value={draft.owner}
            onChange={(event) => edit({ owner: event.currentTarget.value })}
            error={fieldErrors.ownerEmail}
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

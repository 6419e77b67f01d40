import { PasswordInput, Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useApiMutation } from '../../../api/use-api.ts'
import { users } from '../../../text/users.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { toFieldError } from '../kit/field-error.ts'

const text = users.new
const EMPTY_DRAFT = { email: '', givenName: '', familyName: '', how: 'link', password: '', superAdmin: false }

/** Creates an account for a user. */
export function NewUserDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [, navigate] = useLocation()
  const edit = (change: Partial<typeof EMPTY_DRAFT>) => setDraft((previous) => ({ ...previous, ...change }))
  const create = useApiMutation('POST /api/admin/users', {
    invalidates: ['GET /api/admin/users', 'GET /api/admin/overview'],
    onError: () => true,
    onSuccess: ({ id, email, displayName }, { body }) => {
      showSuccess(body.password === undefined ? text.linkSent(email) : text.created(displayName))
      setDraft(EMPTY_DRAFT)
      navigate(`/users/${id}`)
    },
  })
  const submit = () =>
    create
      .mutateAsync({
        body: {
          email: draft.email.trim(),
          ...(draft.givenName.trim() !== '' && { givenName: draft.givenName }),
          ...(draft.familyName.trim() !== '' && { familyName: draft.familyName }),
          ...(draft.how === 'password' ? { password: draft.password } : { sendPasswordLink: true }),
          ...(draft.superAdmin && { superAdmin: true }),
        },
      })
      .catch(toFieldError('EMAIL_TAKEN', 'email'))
      .catch(toFieldError('WEAK_PASSWORD', 'password'))
  const close = () => {
    // The password must not stay in the form of the next user.
    edit({ password: '' })
    onClose()
  }
  return (
    <FormDialog title={text.title} opened={opened} onClose={close} action={text.action} submit={submit}>
      {(fieldErrors) => (
        <>
          <TextInput
            type="email"
            label={text.email}
            description={text.emailHint}
            value={draft.email}
            onChange={(event) => edit({ email: event.currentTarget.value })}
            error={fieldErrors.email}
            required
            autoComplete="off"
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={text.givenName}
              value={draft.givenName}
              onChange={(event) => edit({ givenName: event.currentTarget.value })}
              error={fieldErrors.givenName}
              maxLength={100}
              autoComplete="off"
            />
            <TextInput
              label={text.familyName}
              value={draft.familyName}
              onChange={(event) => edit({ familyName: event.currentTarget.value })}
              error={fieldErrors.familyName}
              maxLength={100}
              autoComplete="off"
            />
          </SimpleGrid>
          <Radio.Group label={text.how} value={draft.how} onChange={(how) => edit({ how })}>
            <Stack gap="xs" mt={4}>
              <Radio value="link" label={text.link} />
              <Radio value="password" label={text.password} />
            </Stack>
          </Radio.Group>
          {draft.how === 'password' && (
            <PasswordInput
              label={text.newPassword}
              value={draft.password}
              onChange={(event) => edit({ password: event.currentTarget.value })}
              error={fieldErrors.password}
              required
              autoComplete="new-password"
            />
          )}
          <Switch
            label={text.superAdmin}
            description={text.superAdminHint}
            checked={draft.superAdmin}
            onChange={(event) => edit({ superAdmin: event.currentTarget.checked })}
            error={fieldErrors.superAdmin}
          />
        </>
      )}
    </FormDialog>
  )
}

import { PasswordInput, Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useChange } from '../../../api/use-api.ts'
import { people } from '../../../text/people.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { onField } from '../kit/on-field.ts'

const text = people.new
const NOTHING = { email: '', givenName: '', familyName: '', how: 'link', password: '', superAdmin: false }

/** Makes an account for somebody. */
export function NewUserDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(NOTHING)
  const [, navigate] = useLocation()
  const edit = (change: Partial<typeof NOTHING>) => setDraft((former) => ({ ...former, ...change }))
  const create = useChange('POST /api/admin/users', {
    refreshes: ['GET /api/admin/users', 'GET /api/admin/overview'],
    onProblem: () => true,
    onDone: ({ id, email, displayName }, { body }) => {
      showDone(body.password === undefined ? text.linked(email) : text.created(displayName))
      setDraft(NOTHING)
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
      .catch(onField('EMAIL_TAKEN', 'email'))
      .catch(onField('WEAK_PASSWORD', 'password'))
  const close = () => {
    // A password that was typed is not kept for the next one.
    edit({ password: '' })
    onClose()
  }
  return (
    <FormDialog title={text.title} opened={opened} onClose={close} action={text.action} submit={submit}>
      {(fields) => (
        <>
          <TextInput
            type="email"
            label={text.email}
            description={text.emailHint}
            value={draft.email}
            onChange={(event) => edit({ email: event.currentTarget.value })}
            error={fields.email}
            required
            autoComplete="off"
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={text.givenName}
              value={draft.givenName}
              onChange={(event) => edit({ givenName: event.currentTarget.value })}
              error={fields.givenName}
              maxLength={100}
              autoComplete="off"
            />
            <TextInput
              label={text.familyName}
              value={draft.familyName}
              onChange={(event) => edit({ familyName: event.currentTarget.value })}
              error={fields.familyName}
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
              error={fields.password}
              required
              autoComplete="new-password"
            />
          )}
          <Switch
            label={text.superAdmin}
            description={text.superAdminHint}
            checked={draft.superAdmin}
            onChange={(event) => edit({ superAdmin: event.currentTarget.checked })}
            error={fields.superAdmin}
          />
        </>
      )}
    </FormDialog>
  )
}

import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { shell } from '../../../text/shell.ts'
import { users } from '../../../text/users.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import type { UserDetails } from './types.ts'

const text = users.names
const FIELDS = ['givenName', 'familyName', 'displayName'] as const

/** The names of a user. */
export function UserNames({ user }: { user: UserDetails }) {
  const saved = {
    givenName: user.givenName ?? '',
    familyName: user.familyName ?? '',
    displayName: user.displayName,
  }
  const [names, setNames] = useState(saved)
  const save = useApiMutation('PATCH /api/admin/users/{id}', {
    invalidates: ['GET /api/admin/users/{id}', 'GET /api/admin/users', 'GET /api/users/me'],
    onError: () => true,
    onSuccess: () => showSuccess(text.saved),
  })
  const changed = FIELDS.filter((field) => names[field] !== saved[field])
  const form = useSubmit(() =>
    save.mutateAsync({
      path: { id: user.id },
      body: Object.fromEntries(changed.map((field) => [field, names[field]])),
    }),
  )
  return (
    <Section title={text.title} lead={text.lead}>
      <form onSubmit={form.onSubmit}>
        <Stack>
          {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {FIELDS.map((field) => (
              <TextInput
                key={field}
                label={text[field]}
                value={names[field]}
                onChange={(event) => setNames({ ...names, [field]: event.currentTarget.value })}
                error={form.fieldErrors[field]}
                maxLength={field === 'displayName' ? 200 : 100}
                autoComplete="off"
                inputWrapperOrder={['label', 'input', 'error', 'description']}
                {...(field === 'displayName' && { description: text.displayNameHint })}
              />
            ))}
          </SimpleGrid>
          <Group justify="flex-end">
            <Button type="submit" loading={form.busy} disabled={changed.length === 0}>
              {shell.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

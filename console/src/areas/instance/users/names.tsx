import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { people } from '../../../text/people.ts'
import { shell } from '../../../text/shell.ts'
import { useForm } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Problem } from '../../../ui/states.tsx'
import type { UserDetails } from './user.tsx'

const text = people.names
const FIELDS = ['givenName', 'familyName', 'displayName'] as const

/** How somebody is called. */
export function UserNames({ user }: { user: UserDetails }) {
  const before = {
    givenName: user.givenName ?? '',
    familyName: user.familyName ?? '',
    displayName: user.displayName,
  }
  const [names, setNames] = useState(before)
  const save = useChange('PATCH /api/admin/users/{id}', {
    refreshes: ['GET /api/admin/users/{id}', 'GET /api/admin/users', 'GET /api/users/me'],
    onProblem: () => true,
    onDone: () => showDone(text.saved),
  })
  const changed = FIELDS.filter((field) => names[field] !== before[field])
  const form = useForm(() =>
    save.mutateAsync({
      path: { id: user.id },
      body: Object.fromEntries(changed.map((field) => [field, names[field]])),
    }),
  )
  return (
    <Section title={text.title} lead={text.lead}>
      <form onSubmit={form.onSubmit}>
        <Stack>
          {form.general !== undefined && <Problem error={form.general} />}
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {FIELDS.map((field) => (
              <TextInput
                key={field}
                label={text[field]}
                value={names[field]}
                onChange={(event) => setNames({ ...names, [field]: event.currentTarget.value })}
                error={form.fields[field]}
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

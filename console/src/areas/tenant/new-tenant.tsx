import { Button, Group, Paper, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { keyOf, useChange } from '../../api/use-api.ts'
import { LONGEST_SLUG, slugFrom } from '../../lib/slug.ts'
import { newTenant as text } from '../../text/settings.ts'
import { useForm } from '../../ui/form-dialog.tsx'
import { showDone } from '../../ui/notices.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/states.tsx'

/** Founds a tenant, and goes there. */
export function NewTenant() {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string>()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const create = useChange('POST /api/tenants', { onProblem: () => true })
  const form = useForm(async () => {
    // A slug that nobody chose may be another one, where the first is taken.
    const slug = chosen?.trim() ? { slug: chosen.trim() } : {}
    const tenant = await create.mutateAsync({ body: { name: name.trim(), ...slug } })
    await client.invalidateQueries({ queryKey: keyOf('GET /api/tenants') })
    showDone(text.created(tenant.name))
    navigate(`/t/${tenant.slug}/members`)
  })
  return (
    <Page title={text.title} lead={text.lead}>
      <Paper p={{ base: 'md', sm: 'lg' }} maw={560}>
        <form onSubmit={form.onSubmit}>
          <Stack>
            {form.general !== undefined && <Problem error={form.general} />}
            <TextInput
              label={text.name}
              description={text.nameHint}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={form.fields.name}
              autoComplete="organization"
              maxLength={120}
              required
              withAsterisk={false}
            />
            <TextInput
              label={text.slug}
              description={text.slugHint}
              value={chosen ?? slugFrom(name)}
              onChange={(event) => setChosen(event.currentTarget.value.toLowerCase() || undefined)}
              error={form.fields.slug}
              autoComplete="off"
              spellCheck={false}
              maxLength={LONGEST_SLUG}
            />
            <Group>
              <Button type="submit" loading={form.busy} disabled={name.trim() === ''}>
                {text.create}
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
    </Page>
  )
}

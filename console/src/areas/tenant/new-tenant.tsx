import { Button, Group, Paper, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { toQueryKey, useApiMutation } from '../../api/use-api.ts'
import { MAX_SLUG_LENGTH, toSlug } from '../../lib/slug.ts'
import { newTenant as text } from '../../text/settings.ts'
import { showSuccess } from '../../ui/notifications.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

/** Creates a tenant and navigates to it. */
export function NewTenant() {
  const [name, setName] = useState('')
  const [customSlug, setCustomSlug] = useState<string>()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const create = useApiMutation('POST /api/tenants', { onError: () => true })
  const form = useSubmit(async () => {
    // Without a custom slug, the service picks another one if the derived slug is taken.
    const slug = customSlug?.trim() ? { slug: customSlug.trim() } : {}
    const tenant = await create.mutateAsync({ body: { name: name.trim(), ...slug } })
    await client.invalidateQueries({ queryKey: toQueryKey('GET /api/tenants') })
    showSuccess(text.created(tenant.name))
    navigate(`/t/${tenant.slug}/members`)
  })
  return (
    <Page title={text.title} lead={text.lead}>
      <Paper p={{ base: 'md', sm: 'lg' }} maw={560}>
        <form onSubmit={form.onSubmit}>
          <Stack>
            {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
            <TextInput
              label={text.name}
              description={text.nameHint}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={form.fieldErrors.name}
              autoComplete="organization"
              maxLength={120}
              required
              withAsterisk={false}
            />
            <TextInput
              label={text.slug}
              description={text.slugHint}
              value={customSlug ?? toSlug(name)}
              onChange={(event) => setCustomSlug(event.currentTarget.value.toLowerCase() || undefined)}
              error={form.fieldErrors.slug}
              autoComplete="off"
              spellCheck={false}
              maxLength={MAX_SLUG_LENGTH}
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

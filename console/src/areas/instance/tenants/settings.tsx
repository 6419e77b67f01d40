import { Button, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { allTenants } from '../../../text/all-tenants.ts'
import { shell } from '../../../text/shell.ts'
import { useForm } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Problem } from '../../../ui/states.tsx'
import { onField } from '../kit/on-field.ts'
import type { AnyTenant } from './tenant.tsx'

const text = allTenants.settings

/** The name, the slug and the rules of a tenant. */
export function TenantSettings({ tenant }: { tenant: AnyTenant }) {
  const { id } = tenant
  const [name, setName] = useState(tenant.name)
  const [slug, setSlug] = useState(tenant.slug)
  const [isRequired, setRequired] = useState(tenant.mfaPolicy === 'REQUIRED')
  const [brandingApproved, setApproved] = useState(tenant.brandingApproved)
  const save = useChange('PATCH /api/admin/tenants/{id}', {
    refreshes: ['GET /api/admin/tenants/{id}', 'GET /api/admin/tenants', 'GET /api/tenants'],
    onProblem: () => true,
    onDone: () => showDone(text.saved),
  })
  const mfaPolicy = isRequired ? ('REQUIRED' as const) : ('OPTIONAL' as const)
  const body = {
    ...(name !== tenant.name && { name }),
    ...(slug !== tenant.slug && { slug }),
    ...(mfaPolicy !== tenant.mfaPolicy && { mfaPolicy }),
    ...(brandingApproved !== tenant.brandingApproved && { brandingApproved }),
  }
  const form = useForm(() => save.mutateAsync({ path: { id }, body }).catch(onField('SLUG_TAKEN', 'slug')))
  return (
    <Section title={text.title} lead={text.lead}>
      <form onSubmit={form.onSubmit}>
        <Stack>
          {form.general !== undefined && <Problem error={form.general} />}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={text.name}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={form.fields.name}
              required
              maxLength={120}
              autoComplete="off"
            />
            <TextInput
              label={text.slug}
              description={text.slugHint}
              inputWrapperOrder={['label', 'input', 'error', 'description']}
              value={slug}
              onChange={(event) => setSlug(event.currentTarget.value)}
              error={form.fields.slug}
              required
              autoComplete="off"
              spellCheck={false}
            />
          </SimpleGrid>
          <Switch
            label={text.mfa}
            description={text.mfaHint}
            checked={isRequired}
            onChange={(event) => setRequired(event.currentTarget.checked)}
          />
          <Switch
            label={text.branding}
            description={text.brandingHint}
            checked={brandingApproved}
            onChange={(event) => setApproved(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={form.busy} disabled={Object.keys(body).length === 0}>
              {shell.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

import { Button, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { allTenants } from '../../../text/all-tenants.ts'
import { shell } from '../../../text/shell.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { toFieldError } from '../kit/field-error.ts'
import type { AdminTenant } from './types.ts'

const text = allTenants.settings

/** Name, slug, second-factor policy, mailed codes and branding approval of a tenant. */
export function TenantSettings({ tenant }: { tenant: AdminTenant }) {
  const { id } = tenant
  const [name, setName] = useState(tenant.name)
  const [slug, setSlug] = useState(tenant.slug)
  const [isMfaRequired, setMfaRequired] = useState(tenant.mfaPolicy === 'REQUIRED')
  const [brandingApproved, setBrandingApproved] = useState(tenant.brandingApproved)
  const [emailCodes, setEmailCodes] = useState(tenant.emailCodes)
  const save = useApiMutation('PATCH /api/admin/tenants/{id}', {
    invalidates: ['GET /api/admin/tenants/{id}', 'GET /api/admin/tenants', 'GET /api/tenants'],
    onError: () => true,
    onSuccess: () => showSuccess(text.saved),
  })
  const mfaPolicy = isMfaRequired ? ('REQUIRED' as const) : ('OPTIONAL' as const)
  const body = {
    ...(name !== tenant.name && { name }),
    ...(slug !== tenant.slug && { slug }),
    ...(mfaPolicy !== tenant.mfaPolicy && { mfaPolicy }),
    ...(brandingApproved !== tenant.brandingApproved && { brandingApproved }),
    ...(emailCodes !== tenant.emailCodes && { emailCodes }),
  }
  const form = useSubmit(() => save.mutateAsync({ path: { id }, body }).catch(toFieldError('SLUG_TAKEN', 'slug')))
  return (
    <Section title={text.title} lead={text.lead}>
      <form onSubmit={form.onSubmit}>
        <Stack>
          {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={text.name}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={form.fieldErrors.name}
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
              error={form.fieldErrors.slug}
              required
              autoComplete="off"
              spellCheck={false}
            />
          </SimpleGrid>
          <Switch
            label={text.mfa}
            description={text.mfaHint}
            checked={isMfaRequired}
            onChange={(event) => setMfaRequired(event.currentTarget.checked)}
          />
          <Switch
            label={text.emailCodes}
            description={text.emailCodesHint}
            checked={emailCodes}
            onChange={(event) => setEmailCodes(event.currentTarget.checked)}
          />
          <Switch
            label={text.branding}
            description={text.brandingHint}
            checked={brandingApproved}
            onChange={(event) => setBrandingApproved(event.currentTarget.checked)}
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

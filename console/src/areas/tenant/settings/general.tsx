import type { Reply } from '@latchkey/client'
import { Button, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { shell } from '../../../text/shell.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { useTenant } from '../tenant.ts'

export type Tenant = Reply<'GET /api/tenants/{id}'>

const text = settings.general

/** Name, slug and id of the tenant. Members cannot edit the name. */
export function GeneralSection({ tenant }: { tenant: Tenant }) {
  const { canManage } = useTenant()
  return (
    <Section title={text.title}>
      {canManage ? (
        <NameForm tenant={tenant} />
      ) : (
        <Input.Wrapper label={text.name} labelElement="div">
          <Text size="sm">{tenant.name}</Text>
        </Input.Wrapper>
      )}
      <Group gap="xl" align="flex-start">
        <Input.Wrapper
          label={text.slug}
          labelElement="div"
          description={text.slugHint}
          inputWrapperOrder={['label', 'input', 'description']}
          maw={420}
        >
          <Copyable value={tenant.slug} />
        </Input.Wrapper>
        <Input.Wrapper label={text.id} labelElement="div" maw="100%">
          <Copyable value={tenant.id} />
        </Input.Wrapper>
      </Group>
    </Section>
  )
}

function NameForm({ tenant }: { tenant: Tenant }) {
  const [name, setName] = useState(tenant.name)
  const change = useApiMutation('PATCH /api/tenants/{id}', {
    invalidates: ['GET /api/tenants/{id}', 'GET /api/tenants'],
    onSuccess: () => showSuccess(shell.saved),
    onError: () => true,
  })
  const form = useSubmit(() => change.mutateAsync({ path: { id: tenant.id }, body: { name: name.trim() } }))
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="sm">
        {form.error !== undefined && form.fieldErrors.name === undefined && <ErrorAlert error={form.error} />}
        <Group align="flex-start" gap="sm">
          <TextInput
            label={text.name}
            description={text.nameHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={form.fieldErrors.name}
            autoComplete="organization"
            required
            withAsterisk={false}
            maxLength={120}
            w={{ base: '100%', xs: 340 }}
          />
          <Button type="submit" mt={{ base: 0, xs: 25 }} loading={form.busy} disabled={name.trim() === tenant.name}>
            {shell.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

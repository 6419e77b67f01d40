import { Button, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { shell } from '../../../text/shell.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { useForm } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Problem } from '../../../ui/states.tsx'
import { useTenant } from '../tenant.ts'

export type Tenant = Reply<'GET /api/tenants/{id}'>

const text = settings.general

/** What the tenant is called; for members to read. */
export function GeneralSection({ tenant }: { tenant: Tenant }) {
  const { runs } = useTenant()
  return (
    <Section title={text.title}>
      {runs ? (
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
  const change = useChange('PATCH /api/tenants/{id}', {
    refreshes: ['GET /api/tenants/{id}', 'GET /api/tenants'],
    onDone: () => showDone(shell.saved),
    onProblem: () => true,
  })
  const form = useForm(() => change.mutateAsync({ path: { id: tenant.id }, body: { name: name.trim() } }))
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="sm">
        {form.error !== undefined && form.fields.name === undefined && <Problem error={form.error} />}
        <Group align="flex-start" gap="sm">
          <TextInput
            label={text.name}
            description={text.nameHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={form.fields.name}
            autoComplete="organization"
            required
            withAsterisk={false}
            maxLength={120}
            w={{ base: '100%', xs: 340 }}
          />
          <Button
            type="submit"
            mt={{ base: 0, xs: 25 }}
            loading={form.busy}
            disabled={name.trim() === tenant.name}
          >
            {shell.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

import { Button, Collapse, Group, JsonInput, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import type { Tenant } from './general.tsx'
import { isFields, patchOf } from './merge-patch.ts'

const text = settings.advanced

/** The free-form settings as JSON. Only changes are sent, so that concurrent writes of applications are kept. */
export function AdvancedSection({ tenant: { id, settings: saved } }: { tenant: Tenant }) {
  const [open, { toggle }] = useDisclosure()
  const [json, setJson] = useState(() => JSON.stringify(saved, null, 2))
  const { fields, problem } = parseSettings(json)
  const change = useApiMutation('PATCH /api/tenants/{id}', {
    invalidates: ['GET /api/tenants/{id}'],
    onSuccess: () => showSuccess(shell.saved),
    onError: () => true,
  })
  const form = useSubmit(() => change.mutateAsync({ path: { id }, body: { settings: patchOf(saved, fields ?? {}) } }))
  return (
    <Section
      title={text.title}
      lead={text.lead}
      actions={
        <Button
          variant="default"
          size="xs"
          onClick={toggle}
          aria-expanded={open}
          rightSection={<Icon name="chevron" size={16} />}
        >
          {text.show}
        </Button>
      }
    >
      <Collapse expanded={open}>
        <form onSubmit={form.onSubmit}>
          <Stack gap="sm">
            {form.error !== undefined && form.fieldErrors.settings === undefined && <ErrorAlert error={form.error} />}
            <JsonInput
              label={text.label}
              value={json}
              onChange={setJson}
              error={problem ?? form.fieldErrors.settings}
              formatOnBlur
              autosize
              minRows={6}
              maxRows={20}
              spellCheck={false}
              autoComplete="off"
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
            <Group>
              <Button type="submit" loading={form.busy} disabled={fields === undefined}>
                {shell.save}
              </Button>
            </Group>
          </Stack>
        </form>
      </Collapse>
    </Section>
  )
}

function parseSettings(json: string): { fields?: Record<string, unknown>; problem?: string } {
  try {
    const value: unknown = JSON.parse(json.trim() === '' ? '{}' : json)
    return isFields(value) ? { fields: value } : { problem: text.notObject }
  } catch {
    return { problem: text.notJson }
  }
}

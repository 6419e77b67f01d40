import { Button, Collapse, Group, JsonInput, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { settings } from '../../../text/settings.ts'
import { shell } from '../../../text/shell.ts'
import { useForm } from '../../../ui/form-dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Problem } from '../../../ui/states.tsx'
import type { Tenant } from './general.tsx'
import { isFields, patchOf } from './merge-patch.ts'

const text = settings.advanced

/** Free settings as JSON. Only what has changed is sent, so that what an application wrote meanwhile stays. */
export function AdvancedSection({ tenant: { id, settings: kept } }: { tenant: Tenant }) {
  const [open, { toggle }] = useDisclosure()
  const [written, setWritten] = useState(() => JSON.stringify(kept, null, 2))
  const { fields, problem } = read(written)
  const change = useChange('PATCH /api/tenants/{id}', {
    refreshes: ['GET /api/tenants/{id}'],
    onDone: () => showDone(shell.saved),
    onProblem: () => true,
  })
  const form = useForm(() =>
    change.mutateAsync({ path: { id }, body: { settings: patchOf(kept, fields ?? {}) } }),
  )
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
            {form.error !== undefined && form.fields.settings === undefined && <Problem error={form.error} />}
            <JsonInput
              label={text.label}
              value={written}
              onChange={setWritten}
              error={problem ?? form.fields.settings}
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

function read(written: string): { fields?: Record<string, unknown>; problem?: string } {
  try {
    const value: unknown = JSON.parse(written.trim() === '' ? '{}' : written)
    return isFields(value) ? { fields: value } : { problem: text.notObject }
  } catch {
    return { problem: text.notJson }
  }
}

import {
  Button,
  Fieldset,
  Group,
  NumberInput,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange, useRead } from '../../../api/use-api.ts'
import { applications as text } from '../../../text/applications.ts'
import { shell } from '../../../text/shell.ts'
import { type FieldErrors, useForm } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Problem } from '../../../ui/states.tsx'
import { toDuration } from './duration.ts'

export type Application = Reply<'GET /api/admin/applications/{id}'>

const MODES = ['PER_SEAT', 'TENANT_WIDE', 'FREE'] as const
const LIFETIMES = ['accessTokenTtl', 'idTokenTtl', 'refreshTokenIdleTtl', 'refreshTokenTtl'] as const
type Lifetimes = Pick<Application, (typeof LIFETIMES)[number]>
type Settings = Pick<Application, 'name' | 'slug' | 'trusted' | 'licensingMode'> & Lifetimes

const settingsOf = ({ id, createdAt, updatedAt, ...settings }: Application): Settings => settings

/** What may be decided about an application. */
export function SettingsSection({ application }: { application: Application }) {
  const [draft, setDraft] = useState<Settings>(() => settingsOf(application))
  const set = (part: Partial<Settings>) => setDraft((former) => ({ ...former, ...part }))
  const change = useChange('PATCH /api/admin/applications/{id}', {
    refreshes: ['GET /api/admin/applications/{id}', 'GET /api/admin/applications'],
    onDone: () => showDone(shell.saved),
    onProblem: () => true,
  })
  const form = useForm(() => change.mutateAsync({ path: { id: application.id }, body: draft }))
  return (
    <form onSubmit={form.onSubmit}>
      <Section title={text.settings.title}>
        {form.general !== undefined && <Problem error={form.general} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={text.name}
            description={text.settings.nameText}
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={form.fields.name}
            autoComplete="off"
            required
          />
          <TextInput
            label={text.slug}
            description={text.settings.slugText}
            value={draft.slug}
            onChange={(event) => set({ slug: event.currentTarget.value })}
            error={form.fields.slug}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            required
          />
        </SimpleGrid>
        <Switch
          label={text.settings.trusted}
          description={text.settings.trustedText}
          checked={draft.trusted}
          onChange={(event) => set({ trusted: event.currentTarget.checked })}
        />
        <Radio.Group
          label={text.settings.mode}
          value={draft.licensingMode}
          onChange={(mode) => set({ licensingMode: mode as Settings['licensingMode'] })}
        >
          <Stack gap="xs" mt="xs">
            {MODES.map((mode) => (
              <Radio
                key={mode}
                value={mode}
                label={text.modes[mode].label}
                description={text.modes[mode].text}
              />
            ))}
          </Stack>
        </Radio.Group>
        <LifetimeFields draft={draft} set={set} fields={form.fields} />
        <Group>
          <Button type="submit" loading={form.busy}>
            {shell.save}
          </Button>
        </Group>
      </Section>
    </form>
  )
}

interface FieldsProps {
  draft: Lifetimes
  set: (part: Partial<Lifetimes>) => void
  fields: FieldErrors
}

function LifetimeFields({ draft, set, fields }: FieldsProps) {
  const { data } = useRead('GET /api/admin/overview', { input: {} })
  const placeholderOf = (name: keyof Lifetimes) => {
    const seconds = data?.tokenLifetimes[name]
    return seconds === undefined ? '' : text.lifetimes.followed(seconds, toDuration(seconds))
  }
  return (
    <Fieldset
      variant="unstyled"
      legend={text.lifetimes.title}
      m={0}
      styles={{ legend: { fontSize: 'var(--mantine-font-size-sm)', fontWeight: 500, padding: 0 } }}
    >
      <Text size="xs" c="dimmed" mb="sm">
        {text.lifetimes.lead}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {LIFETIMES.map((name) => (
          <NumberInput
            key={name}
            label={text.lifetimes[name].label}
            description={draft[name] === null ? text.lifetimes[name].text : toDuration(draft[name])}
            placeholder={placeholderOf(name)}
            value={draft[name] ?? ''}
            onChange={(value) => set({ [name]: typeof value === 'number' ? value : null })}
            error={fields[name]}
            allowDecimal={false}
            allowNegative={false}
            hideControls
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}

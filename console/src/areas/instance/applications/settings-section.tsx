import {
  Button,
  Fieldset,
  Group,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { applications as text } from '../../../text/applications.ts'
import { shell } from '../../../text/shell.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { type FieldErrors, useSubmit } from '../../../ui/use-submit.ts'
import { toDuration } from './duration.ts'
import type { Application } from './types.ts'

const MODES = ['PER_SEAT', 'TENANT_WIDE', 'FREE'] as const
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
const LIFETIMES = ['accessTokenTtl', 'idTokenTtl', 'refreshTokenIdleTtl', 'refreshTokenTtl'] as const
type Lifetimes = Pick<Application, (typeof LIFETIMES)[number]>
type Settings = Pick<Application, 'name' | 'slug' | 'trusted' | 'emailCodes' | 'signingAlgorithm' | 'licensingMode'> &
  Lifetimes

const settingsOf = ({ id, createdAt, updatedAt, ...settings }: Application): Settings => settings

export function SettingsSection({ application }: { application: Application }) {
  const [draft, setDraft] = useState<Settings>(() => settingsOf(application))
  const set = (changes: Partial<Settings>) => setDraft((previous) => ({ ...previous, ...changes }))
  const change = useApiMutation('PATCH /api/admin/applications/{id}', {
    invalidates: ['GET /api/admin/applications/{id}', 'GET /api/admin/applications'],
    onSuccess: () => showSuccess(shell.saved),
    onError: () => true,
  })
  const form = useSubmit(() => change.mutateAsync({ path: { id: application.id }, body: draft }))
  return (
    <form onSubmit={form.onSubmit}>
      <Section title={text.settings.title}>
        {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={text.name}
            description={text.settings.nameText}
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={form.fieldErrors.name}
            autoComplete="off"
            required
          />
          <TextInput
            label={text.slug}
            description={text.settings.slugText}
            value={draft.slug}
            onChange={(event) => set({ slug: event.currentTarget.value })}
            error={form.fieldErrors.slug}
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
        <Switch
          label={text.settings.emailCodes}
          description={text.settings.emailCodesText}
          checked={draft.emailCodes}
          onChange={(event) => set({ emailCodes: event.currentTarget.checked })}
        />
        <Radio.Group
          label={text.settings.mode}
          value={draft.licensingMode}
          onChange={(mode) => set({ licensingMode: mode as Settings['licensingMode'] })}
        >
          <Stack gap="xs" mt="xs">
            {MODES.map((mode) => (
              <Radio key={mode} value={mode} label={text.modes[mode].label} description={text.modes[mode].text} />
            ))}
          </Stack>
        </Radio.Group>
        <Select
          label={text.settings.algorithm}
          description={text.settings.algorithmText}
          data={ALGORITHMS.map((value) => ({ value, label: text.algorithms[value] }))}
          value={draft.signingAlgorithm}
          onChange={(value) => set({ signingAlgorithm: value as Settings['signingAlgorithm'] })}
          allowDeselect={false}
          maw={360}
        />
        <LifetimeFields draft={draft} set={set} fieldErrors={form.fieldErrors} />
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
  set: (changes: Partial<Lifetimes>) => void
  fieldErrors: FieldErrors
}

function LifetimeFields({ draft, set, fieldErrors }: FieldsProps) {
  const { data } = useApiQuery('GET /api/admin/overview', { input: {} })
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
            error={fieldErrors[name]}
            allowDecimal={false}
            allowNegative={false}
            hideControls
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}

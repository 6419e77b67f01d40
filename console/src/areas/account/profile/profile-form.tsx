import { Button, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { account } from '../../../text/account.ts'
import { Section } from '../../../ui/section.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { languageChoices, timeIn, zoneChoices } from './choices.ts'
import { type ProfileDraft, type ProfileField, useProfileDraft } from './use-profile-draft.ts'

const { profile: text } = account
const COLUMNS = { base: 1, sm: 2 }

/** The profile fields, saved together. */
export function ProfileForm() {
  const draft = useProfileDraft()
  return (
    <form onSubmit={draft.onSubmit} noValidate>
      <Stack gap="lg">
        <Section title={text.name.title} lead={text.name.lead}>
          <SimpleGrid cols={COLUMNS}>
            <ProfileInput draft={draft} field="givenName" label={text.givenName} autoComplete="given-name" />
            <ProfileInput draft={draft} field="familyName" label={text.familyName} autoComplete="family-name" />
            <ProfileInput draft={draft} field="middleName" label={text.middleName} autoComplete="additional-name" />
            <ProfileInput draft={draft} field="nickname" label={text.nickname} autoComplete="nickname" />
          </SimpleGrid>
          <ProfileInput
            draft={draft}
            field="displayName"
            label={text.displayName}
            autoComplete="name"
            hint={text.displayNameHint}
          />
        </Section>
        <Section title={text.person.title} lead={text.person.lead}>
          <SimpleGrid cols={COLUMNS}>
            <ProfileInput draft={draft} field="gender" label={text.gender} autoComplete="sex" />
            <ProfileInput draft={draft} field="birthdate" label={text.birthdate} autoComplete="bday" type="date" />
          </SimpleGrid>
        </Section>
        <Section title={text.about.title} lead={text.about.lead}>
          <SimpleGrid cols={COLUMNS}>
            <ProfileInput
              draft={draft}
              field="website"
              label={text.website}
              autoComplete="url"
              hint={text.websiteHint}
              isUrl
            />
            <ProfileInput
              draft={draft}
              field="pictureUrl"
              label={text.picture}
              autoComplete="photo"
              hint={text.pictureHint}
              isUrl
            />
          </SimpleGrid>
        </Section>
        <Section title={text.region.title} lead={text.region.lead}>
          <Region draft={draft} />
        </Section>
        {draft.generalError !== undefined && <ErrorAlert error={draft.generalError} />}
        <SaveBar draft={draft} />
      </Stack>
    </form>
  )
}

interface ProfileInputProps {
  draft: ProfileDraft
  field: ProfileField
  label: string
  autoComplete: string
  hint?: string
  type?: 'text' | 'date'
  isUrl?: boolean
}

const ProfileInput = ({ draft, field, label, autoComplete, hint, type = 'text', isUrl = false }: ProfileInputProps) => (
  <TextInput
    label={label}
    type={type}
    description={hint}
    name={field}
    value={draft.valueOf(field)}
    onChange={(event) => draft.set(field, event.currentTarget.value)}
    error={draft.fieldErrors[field]}
    autoComplete={autoComplete}
    {...(isUrl && { inputMode: 'url' as const, placeholder: 'https://', spellCheck: false })}
    inputWrapperOrder={['label', 'input', 'description', 'error']}
  />
)

function Region({ draft }: { draft: ProfileDraft }) {
  const zone = draft.valueOf('zoneinfo')
  const time = timeIn(zone)
  const common = {
    searchable: true,
    allowDeselect: false,
    nothingFoundMessage: text.nothingFound,
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description')[],
  }
  return (
    <SimpleGrid cols={COLUMNS}>
      <Select
        {...common}
        label={text.language}
        data={languageChoices(draft.valueOf('locale'))}
        value={draft.valueOf('locale')}
        onChange={(value) => value !== null && draft.set('locale', value)}
        error={draft.fieldErrors.locale}
        autoComplete="language"
      />
      <Select
        {...common}
        label={text.zone}
        description={time === undefined ? undefined : text.zoneNow(time)}
        data={zoneChoices(zone)}
        value={zone}
        onChange={(value) => value !== null && draft.set('zoneinfo', value)}
        error={draft.fieldErrors.zoneinfo}
      />
    </SimpleGrid>
  )
}

/** Sticky while there are unsaved changes. */
const SaveBar = ({ draft: { isChanged, busy, discard } }: { draft: ProfileDraft }) => (
  <Paper p="sm" {...(isChanged && { pos: 'sticky' as const, bottom: 16, shadow: 'sm', style: { zIndex: 2 } })}>
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" aria-live="polite" px="xs" visibleFrom="xs">
        {isChanged ? text.changed : text.unchanged}
      </Text>
      <Group gap="xs" ms="auto" wrap="nowrap">
        <Button variant="subtle" onClick={discard} disabled={!isChanged || busy}>
          {text.discard}
        </Button>
        <Button type="submit" disabled={!isChanged} loading={busy}>
          {text.save}
        </Button>
      </Group>
    </Group>
  </Paper>
)

import { Select } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { LANGUAGE_CHOICES, LANGUAGES } from '../../../lib/languages.ts'
import { shell } from '../../../text/shell.ts'
import { tenantLanguage as text } from '../../../text/tenant-language.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { useTenant } from '../tenant.ts'
import type { Tenant } from './general.tsx'

const NONE = ''
const CHOICES = [{ value: NONE, label: text.none }, ...LANGUAGE_CHOICES]

/** The default language of hosted pages and mails. Members cannot change it. */
export function LanguageSection({ tenant: { id, language } }: { tenant: Tenant }) {
  const { canManage } = useTenant()
  const change = useApiMutation('PATCH /api/tenants/{id}', {
    invalidates: ['GET /api/tenants/{id}'],
    onSuccess: () => showSuccess(shell.saved),
  })
  const choose = (value: string | null) => {
    if (value === null || value === (language ?? NONE)) return
    const chosen = LANGUAGES.find((tag) => tag === value) ?? null
    change.mutate({ path: { id }, body: { language: chosen } })
  }
  return (
    <Section title={text.title} lead={text.lead}>
      <Select
        aria-label={text.title}
        data={CHOICES}
        value={language ?? NONE}
        onChange={choose}
        allowDeselect={false}
        disabled={!canManage || change.isPending}
        w={{ base: '100%', xs: 340 }}
      />
    </Section>
  )
}

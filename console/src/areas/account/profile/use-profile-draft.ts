import type { Input } from '@latchkey/client'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { currentLanguage } from '../../../languages/catalog.ts'
import { type Profile, useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { inlineErrors } from '../form-options.ts'

export type ProfileField = keyof NonNullable<Input<'PATCH /api/users/me'>['body']>
type Draft = Partial<Record<ProfileField, string>>

/** The edited profile. Only changed fields are sent. */
export function useProfileDraft() {
  const { profile } = useMe()
  const [draft, setDraft] = useState<Draft>({})
  const change = useApiMutation('PATCH /api/users/me', {
    ...inlineErrors,
    invalidates: ['GET /api/users/me'],
  })
  const changed = changesOf(profile, draft)
  const form = useSubmit(async () => {
    await change.mutateAsync({ body: changed })
    setDraft({})
    // All texts are loaded with the page.
    if (changed.locale !== undefined) return window.location.reload()
    showSuccess(account.profile.saved)
  })
  return {
    ...form,
    isChanged: Object.keys(changed).length > 0,
    valueOf: (field: ProfileField) => draft[field] ?? profile[field] ?? '',
    set: (field: ProfileField, text: string) => setDraft((previous) => ({ ...previous, [field]: text })),
    discard: () => {
      setDraft({})
      form.clear()
    },
  }
}

export type ProfileDraft = ReturnType<typeof useProfileDraft>

const changesOf = (profile: Profile, draft: Draft): Draft =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([field, text]) => text !== (profile[field as ProfileField] ?? '') || isOtherLanguage(field, text),
    ),
  )

/** A profile without a language says English, whatever the language of the browser is. */
const isOtherLanguage = (field: string, tag: string): boolean =>
  field === 'locale' && tag.split('-', 1)[0] !== currentLanguage().split('-', 1)[0]

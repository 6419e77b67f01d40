import type { Input } from 'latchkey-sdk'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { type Profile, useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { useForm } from '../../../ui/form-dialog.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { shownInForm } from '../inline.ts'

export type ProfileField = keyof NonNullable<Input<'PATCH /api/users/me'>['body']>
type Draft = Partial<Record<ProfileField, string>>

/** What the person has typed beside what is kept. Only what differs is sent. */
export function useDraft() {
  const { profile } = useMe()
  const [draft, setDraft] = useState<Draft>({})
  const change = useChange('PATCH /api/users/me', { ...shownInForm, refreshes: ['GET /api/users/me'] })
  const changed = changesOf(profile, draft)
  const form = useForm(async () => {
    await change.mutateAsync({ body: changed })
    setDraft({})
    showDone(account.profile.saved)
  })
  return {
    ...form,
    isChanged: Object.keys(changed).length > 0,
    valueOf: (field: ProfileField) => draft[field] ?? profile[field] ?? '',
    set: (field: ProfileField, text: string) => setDraft((former) => ({ ...former, [field]: text })),
    discard: () => {
      setDraft({})
      form.clear()
    },
  }
}

export type ProfileDraft = ReturnType<typeof useDraft>

const changesOf = (profile: Profile, draft: Draft): Draft =>
  Object.fromEntries(
    Object.entries(draft).filter(([field, text]) => text !== (profile[field as ProfileField] ?? '')),
  )

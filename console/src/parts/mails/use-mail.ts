import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../../api/query-hooks.ts'
import { currentLanguage } from '../../languages/catalog.ts'
import { mails as text } from '../../text/mails.ts'
import { shell } from '../../text/shell.ts'
import { showSuccess } from '../../ui/notifications.tsx'
import { fieldErrorsOf, useSubmit } from '../../ui/use-submit.ts'
import { startDraft, type Texts, takeOver } from './draft.ts'
import { type MailLanguage, type MailOwner, type MailTemplate, mailsApi, mailsKey } from './mails-api.ts'

const PREVIEW_DELAY_MS = 400

const toTexts = ({ subject, heading, text, button, defaults }: MailTemplate): Texts => ({
  subject: subject ?? defaults.subject,
  heading: heading ?? defaults.heading,
  text: text ?? defaults.text,
  button: button ?? defaults.button,
})

export const MAIL_LANGUAGES: MailLanguage[] = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar']

const firstLanguage = (): MailLanguage => MAIL_LANGUAGES.find((language) => language === currentLanguage()) ?? 'en'

/** The state of the editor: the draft, its preview, save, reset and test mail. */
export function useMail(owner: MailOwner, template: MailTemplate) {
  const { kind } = template
  const api = mailsApi(owner)
  const [state, setState] = useState(() => startDraft(toTexts(template)))
  const current = takeOver(state, toTexts(template))
  if (current !== state) setState(current)
  const { draft } = current
  const [settled] = useDebouncedValue(draft, PREVIEW_DELAY_MS)
  const [language, setLanguage] = useState(firstLanguage)
  const preview = useQuery({
    queryKey: ['mail-preview', owner ?? null, kind, settled, language],
    queryFn: () => api.preview(kind, { ...settled, language }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const invalidates = [mailsKey(owner)]
  const save = useAction((body: Texts) => api.save(kind, body), {
    invalidates,
    silent: true,
    onSuccess: (_reply, saved) => {
      setState((before) => ({ ...before, base: saved }))
      showSuccess(shell.saved)
    },
  })
  const reset = useAction(() => api.reset(kind), {
    invalidates,
    onSuccess: () => {
      setState((before) => ({ ...before, draft: template.defaults, base: template.defaults }))
      showSuccess(text.wasReset)
    },
  })
  const test = useAction((body: Texts) => api.sendTest(kind, { ...body, language }), {
    onSuccess: ({ message }) => showSuccess(message),
  })
  const form = useSubmit(() => save.mutateAsync(draft))
  return {
    draft,
    setText: (field: keyof Texts, value: string) =>
      setState((before) => ({ ...before, draft: { ...before.draft, [field]: value } })),
    form,
    /** The preview checks the draft while it is typed. */
    fieldErrors: { ...form.fieldErrors, ...fieldErrorsOf(preview.error) },
    preview,
    language,
    setLanguage,
    reset: () => reset.mutateAsync(undefined),
    sendTest: () => test.mutate(draft),
    isSendingTest: test.isPending,
  }
}

export type MailEditorState = ReturnType<typeof useMail>

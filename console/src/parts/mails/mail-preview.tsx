import { NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { currentLocale } from '../../languages/catalog.ts'
import { mails as text } from '../../text/mails.ts'
import { ErrorAlert, LoadingSkeleton } from '../../ui/states.tsx'
import { fieldErrorsOf } from '../../ui/use-submit.ts'
import { toFrameDocument } from './frame-document.ts'
import './mails.css'
import type { MailLanguage } from './mails-api.ts'
import { MAIL_LANGUAGES, type MailEditorState } from './use-mail.ts'

const names = new Intl.DisplayNames(currentLocale(), { type: 'language' })

/** The mail as a mail program shows it, and its plain text. While the draft has an error, the last preview stays. */
export function MailPreview({ mail }: { mail: MailEditorState }) {
  const { data, error, refetch } = mail.preview
  const [part, setPart] = useState('html')
  const isFieldError = Object.keys(fieldErrorsOf(error)).length > 0
  return (
    <Stack gap="sm" component="section" aria-label={text.preview}>
      <SegmentedControl
        aria-label={text.preview}
        value={part}
        onChange={setPart}
        data={[
          { value: 'html', label: text.html },
          { value: 'text', label: text.plainText },
        ]}
      />
      <NativeSelect
        label={text.language}
        value={mail.language}
        onChange={({ currentTarget }) => mail.setLanguage(currentTarget.value as MailLanguage)}
        data={MAIL_LANGUAGES.map((value) => ({ value, label: names.of(value) ?? value }))}
      />
      {error !== null && !isFieldError && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingSkeleton rows={6} height={60} />
      ) : (
        <>
          <Text size="sm">
            <Text span c="dimmed" inherit>
              {text.subjectLabel}
            </Text>{' '}
            <Text span fw={600} inherit>
              {data.subject}
            </Text>
          </Text>
          {part === 'html' ? (
            <iframe className="mail-preview" sandbox="" srcDoc={toFrameDocument(data.html)} title={text.preview} />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
            <section className="mail-preview mail-text" tabIndex={0} aria-label={text.plainText}>
              <pre dir="auto">{data.text}</pre>
            </section>
          )}
        </>
      )}
    </Stack>
  )
}

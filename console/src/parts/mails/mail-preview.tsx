import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { mails as text } from '../../text/mails.ts'
import { ErrorAlert, LoadingSkeleton } from '../../ui/states.tsx'
import { fieldErrorsOf } from '../../ui/use-submit.ts'
import { toFrameDocument } from './frame-document.ts'
import './mails.css'
import type { MailEditorState } from './use-mail.ts'

/** The mail as a mail program shows it, and its plain text. While the draft has an error, the last preview stays. */
export function MailPreview({ preview: { data, error, refetch } }: { preview: MailEditorState['preview'] }) {
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
              <pre>{data.text}</pre>
            </section>
          )}
        </>
      )}
    </Stack>
  )
}

import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/query-hooks.ts'
import { deliveries } from '../../text/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showSuccess } from '../../ui/notifications.tsx'
import { webhooksApi, webhooksKey } from './webhooks-api.ts'

const text = deliveries.replaySince

/** Formats a date for a `datetime-local` field, in the browser's time zone. */
function toLocalField(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

const toIsoString = (field: string): string => new Date(field).toISOString()

/** Sends the events of a time range again. */
export function ReplayDialog({
  tenantId,
  webhookId,
  onClose,
}: {
  tenantId: string | undefined
  webhookId: string
  onClose: () => void
}) {
  const [from, setFrom] = useState(() => toLocalField(new Date(Date.now() - 86_400_000)))
  const [to, setTo] = useState('')
  const replay = useAction(
    () =>
      webhooksApi(tenantId).replay(webhookId, {
        from: toIsoString(from),
        ...(to !== '' && { to: toIsoString(to) }),
      }),
    {
      invalidates: [webhooksKey(tenantId)],
      silent: true,
      onSuccess: ({ count, next }) => showSuccess(next === null ? text.done(count) : text.more(count)),
    },
  )
  return (
    <FormDialog
      title={text.title}
      opened
      onClose={onClose}
      action={text.action}
      submit={() => replay.mutateAsync(undefined)}
      disabled={from === ''}
    >
      {(fieldErrors) => (
        <>
          <Text size="sm">{text.text}</Text>
          <TextInput
            type="datetime-local"
            label={text.from}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
            error={fieldErrors.from ?? fieldErrors.after}
            required
            withAsterisk={false}
            data-autofocus
          />
          <TextInput
            type="datetime-local"
            label={text.to}
            description={text.toHint}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
            error={fieldErrors.to}
          />
        </>
      )}
    </FormDialog>
  )
}

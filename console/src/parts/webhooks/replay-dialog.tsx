import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useDeed } from '../../api/use-door.ts'
import { deliveries } from '../../text/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showDone } from '../../ui/notices.tsx'
import { doorOf, keyAt } from './door.ts'

const text = deliveries.replaySince

/** The moment as the browser's field writes it, in the time of whoever looks. */
function toField(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

const toMoment = (field: string): string => new Date(field).toISOString()

/** Sends what happened in a time once more. */
export function ReplayDialog({
  tenantId,
  webhookId,
  onClose,
}: {
  tenantId: string | undefined
  webhookId: string
  onClose: () => void
}) {
  const [from, setFrom] = useState(() => toField(new Date(Date.now() - 86_400_000)))
  const [to, setTo] = useState('')
  const replay = useDeed(
    () =>
      doorOf(tenantId).replay(webhookId, {
        from: toMoment(from),
        ...(to !== '' && { to: toMoment(to) }),
      }),
    {
      refreshes: [keyAt(tenantId)],
      quiet: true,
      onDone: ({ count, next }) => showDone(next === null ? text.done(count) : text.more(count)),
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
      {(fields) => (
        <>
          <Text size="sm">{text.text}</Text>
          <TextInput
            type="datetime-local"
            label={text.from}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
            error={fields.from ?? fields.after}
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
            error={fields.to}
          />
        </>
      )}
    </FormDialog>
  )
}

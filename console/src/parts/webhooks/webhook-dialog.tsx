import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useDeed } from '../../api/use-door.ts'
import { shell } from '../../text/shell.ts'
import { webhooks as text } from '../../text/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showDone } from '../../ui/notices.tsx'
import { doorOf, keyAt, type Webhook } from './door.ts'
import { EventsField } from './events-field.tsx'

/** Sets up a webhook, or changes the one given. Whoever made one is shown its secret. */
export function WebhookDialog({
  tenantId,
  webhook,
  onClose,
  onSecret,
}: {
  tenantId: string | undefined
  webhook: Webhook | undefined
  onClose: () => void
  onSecret: (secret: string) => void
}) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState(webhook?.events ?? ['*'])
  const door = doorOf(tenantId)
  const body = { url: url.trim(), description: description.trim() || null, events }
  const save = useDeed(
    async () => {
      if (webhook) return void (await door.change(webhook.id, body))
      return (await door.create(body)).secret
    },
    {
      refreshes: [keyAt(tenantId)],
      quiet: true,
      onDone: (secret) => (secret === undefined ? showDone(shell.saved) : onSecret(secret)),
    },
  )
  return (
    <FormDialog
      title={webhook ? text.editTitle : text.create}
      opened
      onClose={onClose}
      action={webhook ? shell.save : text.createAction}
      submit={() => save.mutateAsync(undefined)}
      disabled={events.length === 0}
    >
      {(fields) => (
        <>
          <TextInput
            label={text.fields.url}
            description={text.fields.urlHint}
            placeholder="https://"
            type="url"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={fields.url}
            autoComplete="off"
            maxLength={2_000}
            required
            withAsterisk={false}
            data-autofocus
          />
          <TextInput
            label={text.fields.description}
            description={text.fields.descriptionHint}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={fields.description}
            autoComplete="off"
            maxLength={500}
          />
          <EventsField
            ofTenant={tenantId !== undefined}
            value={events}
            onChange={setEvents}
            error={
              fields.events ??
              Object.entries(fields).find(([field]) => field.startsWith('events.'))?.[1] ??
              (events.length === 0 ? text.fields.none : undefined)
            }
          />
        </>
      )}
    </FormDialog>
  )
}

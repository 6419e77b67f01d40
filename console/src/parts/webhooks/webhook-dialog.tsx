import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/query-hooks.ts'
import { shell } from '../../text/shell.ts'
import { webhooks as text } from '../../text/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showSuccess } from '../../ui/notifications.tsx'
import { EventsField } from './events-field.tsx'
import { type Webhook, webhooksApi, webhooksKey } from './webhooks-api.ts'

/** Creates a webhook, or edits the given one. The secret of a new webhook is shown once. */
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
  const api = webhooksApi(tenantId)
  const body = { url: url.trim(), description: description.trim() || null, events }
  const save = useAction(
    async () => {
      if (webhook) return void (await api.change(webhook.id, body))
      return (await api.create(body)).secret
    },
    {
      invalidates: [webhooksKey(tenantId)],
      silent: true,
      onSuccess: (secret) => (secret === undefined ? showSuccess(shell.saved) : onSecret(secret)),
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
      {(fieldErrors) => (
        <>
          <TextInput
            label={text.fields.url}
            description={text.fields.urlHint}
            placeholder="https://"
            type="url"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={fieldErrors.url}
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
            error={fieldErrors.description}
            autoComplete="off"
            maxLength={500}
          />
          <EventsField
            isTenantWebhook={tenantId !== undefined}
            value={events}
            onChange={setEvents}
            error={
              fieldErrors.events ??
              Object.entries(fieldErrors).find(([field]) => field.startsWith('events.'))?.[1] ??
              (events.length === 0 ? text.fields.none : undefined)
            }
          />
        </>
      )}
    </FormDialog>
  )
}

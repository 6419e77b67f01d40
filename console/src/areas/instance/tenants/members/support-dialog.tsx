import { Select, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../../../api/use-api.ts'
import { supportAccess } from '../../../../text/support-access.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import type { AdminTenant } from '../types.ts'
import type { AdminMember } from './types.ts'

const text = supportAccess.dialog

interface Props {
  tenant: AdminTenant
  /** Undefined: the dialog is closed. */
  member: AdminMember | undefined
  onClose: () => void
}

/** Asks for a reason, starts support access and opens its link in this tab. */
export function SupportDialog({ tenant, member, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [minutes, setMinutes] = useState('30')
  const start = useApiMutation('POST /api/admin/tenants/{id}/members/{userId}/support-sessions', {
    onError: () => true,
    onSuccess: ({ url }) => window.location.assign(url),
  })
  const name = member?.user.displayName ?? ''
  return (
    <FormDialog
      title={text.title(name)}
      opened={member !== undefined}
      onClose={onClose}
      action={text.action}
      disabled={reason.trim().length < 10}
      submit={() =>
        start.mutateAsync({
          path: { id: tenant.id, userId: member?.userId ?? '' },
          body: { reason, minutes: Number(minutes) },
        })
      }
    >
      {(fieldErrors) => (
        <>
          <Text size="sm">{text.text(name, tenant.name)}</Text>
          <Textarea
            label={text.reason}
            description={text.reasonHint}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
            error={fieldErrors.reason}
            required
            maxLength={500}
            autosize
            minRows={2}
            data-autofocus
          />
          <Select
            label={text.minutes}
            data={Object.entries(text.durations).map(([value, label]) => ({ value, label }))}
            value={minutes}
            onChange={(value) => value !== null && setMinutes(value)}
            allowDeselect={false}
          />
        </>
      )}
    </FormDialog>
  )
}

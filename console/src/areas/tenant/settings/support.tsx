import { Switch } from '@mantine/core'
import { useApiMutation } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { supportAccess } from '../../../text/support-access.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { useTenant } from '../tenant.ts'
import type { Tenant } from './general.tsx'

const text = supportAccess.setting

/** Whether operators may act as members. Only on instances that offer it; an operator who acts cannot change it. */
export function SupportSection({ tenant: { id, supportAccess: isAllowed } }: { tenant: Tenant }) {
  const { canManage } = useTenant()
  const { profile } = useMe()
  const change = useApiMutation('PATCH /api/tenants/{id}', {
    invalidates: ['GET /api/tenants/{id}'],
    onSuccess: ({ supportAccess }) => showSuccess(supportAccess ? text.allowed : text.refused),
  })
  if (isAllowed === undefined) return null
  return (
    <Section title={text.title} lead={text.lead}>
      <Switch
        label={text.allow}
        description={text.allowText}
        checked={isAllowed}
        disabled={!canManage || profile.supportAccess !== undefined || change.isPending}
        onChange={(event) => change.mutate({ path: { id }, body: { supportAccess: event.currentTarget.checked } })}
      />
    </Section>
  )
}

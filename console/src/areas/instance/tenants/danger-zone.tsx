import { Divider, Stack } from '@mantine/core'
import { useLocation } from 'wouter'
import { useApiMutation } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { Section } from '../../../ui/section.tsx'
import { ActionRow } from '../kit/action-row.tsx'
import type { AdminTenant } from './types.ts'

/** Suspends or deletes a tenant. */
export function TenantDangerZone({ tenant }: { tenant: AdminTenant }) {
  const { id, name, slug, memberCount, suspended } = tenant
  const [dialog, ask] = useConfirm()
  const [, navigate] = useLocation()
  const change = useApiMutation('PATCH /api/admin/tenants/{id}', {
    invalidates: [
      'GET /api/admin/tenants/{id}',
      'GET /api/admin/tenants',
      'GET /api/admin/overview',
      'GET /api/tenants',
    ],
  })
  const remove = useApiMutation('DELETE /api/admin/tenants/{id}', {
    onSuccess: () => {
      showSuccess(text.deletion.done(name))
      navigate('/tenants')
    },
    invalidates: ['GET /api/admin/tenants', 'GET /api/admin/overview', 'GET /api/tenants'],
  })
  const setSuspended = async (value: boolean) => {
    await change.mutateAsync({ path: { id }, body: { suspended: value } })
    const { suspended, reactivated } = text.suspension
    showSuccess(value ? suspended(name) : reactivated(name))
  }
  const { question, consequences, suspend, reactivate } = text.suspension
  return (
    <Section title={text.danger}>
      <Stack>
        <ActionRow
          title={text.suspension.title}
          text={suspended ? text.suspension.closedText : text.suspension.openText}
          action={suspended ? reactivate : suspend}
          isDestructive={!suspended}
          busy={change.isPending}
          onAct={() =>
            suspended
              ? void setSuspended(false).catch(() => {})
              : ask({ title: question(name), text: consequences(memberCount), action: suspend }, () =>
                  setSuspended(true),
                )
          }
        />
        <Divider />
        <ActionRow
          title={text.deletion.title}
          text={text.deletion.text}
          action={text.deletion.action}
          isDestructive
          onAct={() =>
            ask(
              {
                title: text.deletion.question(name),
                text: text.deletion.consequences,
                action: text.deletion.action,
                confirmText: slug,
              },
              () => remove.mutateAsync({ path: { id } }),
            )
          }
        />
      </Stack>
      {dialog}
    </Section>
  )
}

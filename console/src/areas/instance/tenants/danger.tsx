import { Divider, Stack } from '@mantine/core'
import { useLocation } from 'wouter'
import { useChange } from '../../../api/use-api.ts'
import { allTenants as text } from '../../../text/all-tenants.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/section.tsx'
import { Deed } from '../kit/deed.tsx'
import type { AnyTenant } from './tenant.tsx'

/** Closes a tenant for a while, or for good. */
export function TenantDanger({ tenant }: { tenant: AnyTenant }) {
  const { id, name, slug, memberCount, suspended } = tenant
  const [dialog, ask] = useConfirm()
  const [, navigate] = useLocation()
  const change = useChange('PATCH /api/admin/tenants/{id}', {
    refreshes: [
      'GET /api/admin/tenants/{id}',
      'GET /api/admin/tenants',
      'GET /api/admin/overview',
      'GET /api/tenants',
    ],
  })
  const remove = useChange('DELETE /api/admin/tenants/{id}', {
    onDone: () => {
      showDone(text.deletion.done(name))
      navigate('/tenants')
    },
    refreshes: ['GET /api/admin/tenants', 'GET /api/admin/overview', 'GET /api/tenants'],
  })
  const setSuspended = async (to: boolean) => {
    await change.mutateAsync({ path: { id }, body: { suspended: to } })
    const { suspended, reactivated } = text.suspension
    showDone(to ? suspended(name) : reactivated(name))
  }
  const { question, consequences, suspend, reactivate } = text.suspension
  return (
    <Section title={text.danger}>
      <Stack>
        <Deed
          title={text.suspension.title}
          text={suspended ? text.suspension.closedText : text.suspension.openText}
          action={suspended ? reactivate : suspend}
          hurts={!suspended}
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
        <Deed
          title={text.deletion.title}
          text={text.deletion.text}
          action={text.deletion.action}
          hurts
          onAct={() =>
            ask(
              {
                title: text.deletion.question(name),
                text: text.deletion.consequences,
                action: text.deletion.action,
                typed: slug,
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

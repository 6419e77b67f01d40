import { Button, Divider, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { members } from '../../../text/members.ts'
import { settings } from '../../../text/settings.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { Section } from '../../../ui/section.tsx'
import { startOver, useLeave } from '../members/use-leave.ts'
import { useTenant } from '../tenant.ts'
import type { Tenant } from './general.tsx'

const text = settings.danger

/** Irreversible actions: leave the tenant, and for owners delete it. */
export function DangerZone({ tenant }: { tenant: Tenant }) {
  const { id, name, role, slug } = useTenant()
  const [dialog, ask] = useConfirm()
  const leave = useLeave(ask)
  const membershipId = useOwnMembership(id)
  const remove = useApiMutation('DELETE /api/tenants/{id}', { onSuccess: startOver })
  const question = {
    title: text.removeTitle(name),
    text: text.removeText(tenant.memberCount),
    action: text.remove,
    confirmText: slug,
  }
  return (
    <Section title={text.title}>
      <ActionRow title={members.leave.action} description={text.leave}>
        <Button
          variant="outline"
          color="red"
          disabled={membershipId === undefined}
          onClick={() => membershipId !== undefined && leave(membershipId)}
        >
          {members.leave.action}
        </Button>
      </ActionRow>
      {role === 'owner' && (
        <>
          <Divider />
          <ActionRow title={text.remove} description={text.removeLead}>
            <Button color="red" onClick={() => ask(question, () => remove.mutateAsync({ path: { id } }))}>
              {text.remove}
            </Button>
          </ActionRow>
        </>
      )}
      {dialog}
    </Section>
  )
}

const ActionRow = ({ title, description, children }: { title: string; description: string; children: ReactNode }) => (
  <Group justify="space-between" gap="md">
    <div style={{ flex: '1 1 280px' }}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </div>
    {children}
  </Group>
)

/** The id of the user's own membership. */
function useOwnMembership(id: string): string | undefined {
  const { profile } = useMe()
  const { data } = useApiQuery('GET /api/tenants/{id}/members', {
    input: { path: { id }, query: { search: profile.email, limit: 100 } },
  })
  return data?.members.find(({ userId }) => userId === profile.id)?.id
}

import { Button, Divider, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useChange, useRead } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { members } from '../../../text/members.ts'
import { settings } from '../../../text/settings.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { Section } from '../../../ui/section.tsx'
import { startOver, useLeave } from '../members/use-leave.ts'
import { useTenant } from '../tenant.ts'
import type { Tenant } from './general.tsx'

const text = settings.danger

/** What cannot be taken back: leaving, and for owners the end of the tenant. */
export function DangerZone({ tenant }: { tenant: Tenant }) {
  const { id, name, role, slug } = useTenant()
  const [dialog, ask] = useConfirm()
  const leave = useLeave(ask)
  const membershipId = useOwnMembership(id)
  const remove = useChange('DELETE /api/tenants/{id}', { onDone: startOver })
  const question = {
    title: text.removeTitle(name),
    text: text.removeText(tenant.memberCount),
    action: text.remove,
    typed: slug,
  }
  return (
    <Section title={text.title}>
      <Deed title={members.leave.action} what={text.leave}>
        <Button
          variant="outline"
          color="red"
          disabled={membershipId === undefined}
          onClick={() => membershipId !== undefined && leave(membershipId)}
        >
          {members.leave.action}
        </Button>
      </Deed>
      {role === 'owner' && (
        <>
          <Divider />
          <Deed title={text.remove} what={text.removeLead}>
            <Button color="red" onClick={() => ask(question, () => remove.mutateAsync({ path: { id } }))}>
              {text.remove}
            </Button>
          </Deed>
        </>
      )}
      {dialog}
    </Section>
  )
}

const Deed = ({ title, what, children }: { title: string; what: string; children: ReactNode }) => (
  <Group justify="space-between" gap="md">
    <div style={{ flex: '1 1 280px' }}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {what}
      </Text>
    </div>
    {children}
  </Group>
)

/** The id of one's own membership, by which one leaves. */
function useOwnMembership(id: string): string | undefined {
  const { profile } = useMe()
  const { data } = useRead('GET /api/tenants/{id}/members', {
    input: { path: { id }, query: { search: profile.email, limit: 100 } },
  })
  return data?.members.find(({ userId }) => userId === profile.id)?.id
}

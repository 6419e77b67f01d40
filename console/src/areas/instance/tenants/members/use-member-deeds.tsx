import type { Input } from 'latchkey-sdk'
import type { ReactNode } from 'react'
import { useChange } from '../../../../api/use-api.ts'
import { roles } from '../../../../text/roles.ts'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import { usePatch } from '../../kit/use-patch.ts'
import type { AnyMember } from './members.tsx'

export type MemberReading = Input<'GET /api/admin/tenants/{id}/members'>

export const ROLES = ['owner', 'admin', 'member'] as const

export interface MemberDeeds {
  dialog: ReactNode
  setRole(member: AnyMember, role: AnyMember['role']): void
  setStatus(member: AnyMember, status: 'ACTIVE' | 'SUSPENDED'): void
  remove(member: AnyMember): void
}

/** What may be done to a member. Role and status show at once, and turn back where they are refused. */
export function useMemberDeeds(id: string, reading: MemberReading): MemberDeeds {
  const [dialog, ask] = useConfirm()
  const refreshes = ['GET /api/admin/tenants/{id}/members', 'GET /api/admin/tenants/{id}'] as const
  const change = useChange('PATCH /api/admin/tenants/{id}/members/{userId}', { refreshes: [...refreshes] })
  const removal = useChange('DELETE /api/admin/tenants/{id}/members/{userId}', { refreshes: [...refreshes] })
  const patch = usePatch('GET /api/admin/tenants/{id}/members', reading)
  const alter = async ({ id: membershipId, userId }: AnyMember, body: Partial<Changed>) => {
    const takeBack = patch((page) => ({
      ...page,
      members: page.members.map((member) => (member.id === membershipId ? { ...member, ...body } : member)),
    }))
    await change.mutateAsync({ path: { id, userId }, body }).catch((error) => {
      takeBack()
      throw error
    })
  }
  /** Does it, says so and offers the way back. What is refused has been told. */
  const attempt = (member: AnyMember, to: Partial<Changed>, said: string, back?: Partial<Changed>) =>
    void alter(member, to).then(
      () => showDone(said, back && (() => void alter(member, back).catch(() => {}))),
      () => {},
    )
  return {
    dialog,
    setRole: (member, role) =>
      attempt(member, { role }, text.changedRole(member.user.displayName, roles[role]), {
        role: member.role,
      }),
    setStatus: (member, status) => {
      const { displayName } = member.user
      if (status === 'ACTIVE') return attempt(member, { status }, text.reactivated(displayName))
      attempt(member, { status }, text.suspended(displayName), { status: 'ACTIVE' })
    },
    remove: ({ userId, user: { displayName } }) => {
      const { question, text: consequences, action, done } = text.remove
      ask({ title: question(displayName), text: consequences, action }, async () => {
        await removal.mutateAsync({ path: { id, userId } })
        showDone(done(displayName))
      })
    },
  }
}

interface Changed {
  role: AnyMember['role']
  status: 'ACTIVE' | 'SUSPENDED'
}

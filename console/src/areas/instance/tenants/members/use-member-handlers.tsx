import type { Input } from '@latchkey/client'
import type { ReactNode } from 'react'
import { useApiMutation } from '../../../../api/use-api.ts'
import { roles } from '../../../../text/roles.ts'
import { tenantMembers as text } from '../../../../text/tenant-members.ts'
import { useConfirm } from '../../../../ui/confirm.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { useOptimisticUpdate } from '../../kit/use-optimistic-update.ts'
import type { AdminMember } from './types.ts'

export type MemberListInput = Input<'GET /api/admin/tenants/{id}/members'>

export const ROLES = ['owner', 'admin', 'member'] as const

export interface MemberHandlers {
  dialog: ReactNode
  setRole(member: AdminMember, role: AdminMember['role']): void
  setStatus(member: AdminMember, status: 'ACTIVE' | 'SUSPENDED'): void
  remove(member: AdminMember): void
}

/** The actions on a member. Role and status are updated optimistically, which an error rolls back. */
export function useMemberHandlers(id: string, input: MemberListInput): MemberHandlers {
  const [dialog, ask] = useConfirm()
  const invalidates = ['GET /api/admin/tenants/{id}/members', 'GET /api/admin/tenants/{id}'] as const
  const change = useApiMutation('PATCH /api/admin/tenants/{id}/members/{userId}', {
    invalidates: [...invalidates],
  })
  const remove = useApiMutation('DELETE /api/admin/tenants/{id}/members/{userId}', {
    invalidates: [...invalidates],
  })
  const updateCache = useOptimisticUpdate('GET /api/admin/tenants/{id}/members', input)
  const updateMember = async ({ id: membershipId, userId }: AdminMember, body: Partial<MemberChange>) => {
    const rollBack = updateCache((page) => ({
      ...page,
      members: page.members.map((member) => (member.id === membershipId ? { ...member, ...body } : member)),
    }))
    await change.mutateAsync({ path: { id, userId }, body }).catch((error) => {
      rollBack()
      throw error
    })
  }
  /** Applies a change and offers to undo it. Errors have been shown by the mutation. */
  const applyChange = (
    member: AdminMember,
    memberChange: Partial<MemberChange>,
    message: string,
    undo?: Partial<MemberChange>,
  ) =>
    void updateMember(member, memberChange).then(
      () => showSuccess(message, undo && (() => void updateMember(member, undo).catch(() => {}))),
      () => {},
    )
  return {
    dialog,
    setRole: (member, role) =>
      applyChange(member, { role }, text.changedRole(member.user.displayName, roles[role]), {
        role: member.role,
      }),
    setStatus: (member, status) => {
      const { displayName } = member.user
      if (status === 'ACTIVE') return applyChange(member, { status }, text.reactivated(displayName))
      applyChange(member, { status }, text.suspended(displayName), { status: 'ACTIVE' })
    },
    remove: ({ userId, user: { displayName } }) => {
      const { question, text: consequences, action, done } = text.remove
      ask({ title: question(displayName), text: consequences, action }, async () => {
        await remove.mutateAsync({ path: { id, userId } })
        showSuccess(done(displayName))
      })
    },
  }
}

interface MemberChange {
  role: AdminMember['role']
  status: 'ACTIVE' | 'SUSPENDED'
}

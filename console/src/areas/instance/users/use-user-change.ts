import { useApiMutation } from '../../../api/use-api.ts'
import { showSuccess } from '../../../ui/notifications.tsx'
import { useOptimisticUpdate } from '../kit/use-optimistic-update.ts'

interface Flags {
  disabled?: boolean
  superAdmin?: boolean
  passwordSignIn?: boolean
  emailVerified?: boolean
}

/** Changes flags of an account with an optimistic update. Errors are shown, rolled back and thrown. */
export function useUserChange(id: string) {
  const change = useApiMutation('PATCH /api/admin/users/{id}', {
    invalidates: [
      'GET /api/admin/users/{id}',
      'GET /api/admin/users',
      'GET /api/admin/overview',
      'GET /api/users/me/access',
    ],
  })
  const updateCache = useOptimisticUpdate('GET /api/admin/users/{id}', { path: { id } })
  const changeFlags = async (body: Flags, message: string, undo?: Flags) => {
    const rollBack = updateCache((user) => ({ ...user, ...body }))
    try {
      await change.mutateAsync({ path: { id }, body })
    } catch (error) {
      rollBack()
      throw error
    }
    showSuccess(message, undo && (() => void change.mutateAsync({ path: { id }, body: undo }).catch(() => {})))
  }
  return { changeFlags, isPending: change.isPending }
}

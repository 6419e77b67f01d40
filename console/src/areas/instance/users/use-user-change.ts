import { useChange } from '../../../api/use-api.ts'
import { showDone } from '../../../ui/notices.tsx'
import { usePatch } from '../kit/use-patch.ts'

/** What an account has or has not. */
interface Flags {
  disabled?: boolean
  superAdmin?: boolean
  passwordSignIn?: boolean
  emailVerified?: boolean
}

/**
 * Turns something about an account on or off: it shows at once, and turns back where it is refused. The refusal has
 * been told, and is thrown for those who wait.
 */
export function useUserChange(id: string) {
  const change = useChange('PATCH /api/admin/users/{id}', {
    refreshes: [
      'GET /api/admin/users/{id}',
      'GET /api/admin/users',
      'GET /api/admin/overview',
      'GET /api/users/me/access',
    ],
  })
  const patch = usePatch('GET /api/admin/users/{id}', { path: { id } })
  const turn = async (body: Flags, said: string, back?: Flags) => {
    const takeBack = patch((user) => ({ ...user, ...body }))
    try {
      await change.mutateAsync({ path: { id }, body })
    } catch (error) {
      takeBack()
      throw error
    }
    showDone(said, back && (() => void change.mutateAsync({ path: { id }, body: back }).catch(() => {})))
  }
  return { turn, isPending: change.isPending }
}

import { useSessionState } from './context.ts'
import type { User } from './session/claims.ts'

/**
 * The signed-in user, or undefined. The fields depend on the scope: `profile` and `email`.
 *
 * @example
 * const user = useUser()
 * return <p>{user ? `Hello ${user.name}` : 'Hello'}</p>
 */
export const useUser = (): User | undefined => useSessionState().user

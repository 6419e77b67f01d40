import { useApiMutation } from '../../../api/use-api.ts'
import { members as text } from '../../../text/members.ts'
import type { Ask } from '../../../ui/confirm.tsx'
import { useTenant } from '../tenant.ts'

/** Reloads the console, because cached data and the token belong to the former membership. */
export const startOver = () => window.location.assign('/console/')

/** Leaves the tenant after a confirmation. */
export function useLeave(ask: Ask) {
  const tenant = useTenant()
  const leave = useApiMutation('DELETE /api/tenants/{id}/members/{membershipId}', { onSuccess: startOver })
  return (membershipId: string) =>
    ask({ title: text.leave.title(tenant.name), text: text.leave.text, action: text.leave.confirm }, () =>
      leave.mutateAsync({ path: { id: tenant.id, membershipId } }),
    )
}

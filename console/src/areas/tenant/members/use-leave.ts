import { useChange } from '../../../api/use-api.ts'
import { members as text } from '../../../text/members.ts'
import type { Question } from '../../../ui/confirm.tsx'
import { useTenant } from '../tenant.ts'

/** Everything the console knew was as a member of the tenant: so it begins anew. */
export const startOver = () => window.location.assign('/console/')

/** Leaves the tenant, after the question. */
export function useLeave(ask: (question: Question, deed: () => Promise<unknown>) => void) {
  const tenant = useTenant()
  const leave = useChange('DELETE /api/tenants/{id}/members/{membershipId}', { onDone: startOver })
  return (membershipId: string) =>
    ask({ title: text.leave.title(tenant.name), text: text.leave.text, action: text.leave.confirm }, () =>
      leave.mutateAsync({ path: { id: tenant.id, membershipId } }),
    )
}

import type { Input, Reply } from '@latchkey/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/api.ts'
import { toQueryKey } from '../../../api/use-api.ts'
import { showError } from '../../../ui/notifications.tsx'

type MemberPage = Reply<'GET /api/tenants/{id}/members'>
export type Member = MemberPage['members'][number]
type Change = NonNullable<Input<'PATCH /api/tenants/{id}/members/{membershipId}'>['body']>

const LIST = toQueryKey('GET /api/tenants/{id}/members')

/** Changes a member with an optimistic update, which an error rolls back. */
export function useMemberChange(tenantId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ member, change }: { member: Member; change: Change }) =>
      call('PATCH /api/tenants/{id}/members/{membershipId}', {
        path: { id: tenantId, membershipId: member.id },
        body: change,
      }),
    onMutate: async ({ member, change }) => {
      await client.cancelQueries({ queryKey: LIST })
      const previous = client.getQueriesData<MemberPage>({ queryKey: LIST })
      client.setQueriesData<MemberPage>({ queryKey: LIST }, (page) => page && withChange(page, member.id, change))
      return { previous }
    },
    onError: (error, _input, context) => {
      for (const [key, page] of context?.previous ?? []) client.setQueryData(key, page)
      showError(error)
    },
    // A change of the user's own role also changes the tenant list.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: LIST }),
        client.invalidateQueries({ queryKey: toQueryKey('GET /api/tenants') }),
      ]),
  })
}

const withChange = (page: MemberPage, id: string, change: Change): MemberPage => ({
  ...page,
  members: page.members.map((member) => (member.id === id ? { ...member, ...change } : member)),
})

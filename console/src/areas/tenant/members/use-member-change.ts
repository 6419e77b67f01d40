import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Input, Reply } from 'latchkey-sdk'
import { call } from '../../../api/api.ts'
import { keyOf } from '../../../api/use-api.ts'
import { showProblem } from '../../../ui/notices.tsx'

type MemberPage = Reply<'GET /api/tenants/{id}/members'>
export type Member = MemberPage['members'][number]
type Change = NonNullable<Input<'PATCH /api/tenants/{id}/members/{membershipId}'>['body']>

const LIST = keyOf('GET /api/tenants/{id}/members')

/** Changes a member. It shows at once, and goes back with the service's sentence where it is refused. */
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
      const former = client.getQueriesData<MemberPage>({ queryKey: LIST })
      client.setQueriesData<MemberPage>(
        { queryKey: LIST },
        (page) => page && withChange(page, member.id, change),
      )
      return { former }
    },
    onError: (error, _input, kept) => {
      for (const [key, page] of kept?.former ?? []) client.setQueryData(key, page)
      showProblem(error)
    },
    // What one may do may have changed too, if it was oneself.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: LIST }),
        client.invalidateQueries({ queryKey: keyOf('GET /api/tenants') }),
      ]),
  })
}

const withChange = (page: MemberPage, id: string, change: Change): MemberPage => ({
  ...page,
  members: page.members.map((member) => (member.id === id ? { ...member, ...change } : member)),
})

import type { Reply } from '@latchkey/client'
import { useApiQuery } from '../../../api/use-api.ts'

export type Invitation = Reply<'GET /api/tenants/{id}/invitations'>['invitations'][number]
export type InvitationStatus = Invitation['status']

const LIMIT = 25

/** A page of invitations. The next page is prefetched, because the reply has no total. */
export function useInvitationPage(id: string, status: InvitationStatus, page: number) {
  const query = useApiQuery('GET /api/tenants/{id}/invitations', {
    input: { path: { id }, query: { status, page, limit: LIMIT } },
  })
  const count = query.data?.invitations.length ?? 0
  const isFull = count === LIMIT && !query.isPlaceholderData
  const nextPage = useApiQuery('GET /api/tenants/{id}/invitations', {
    input: { path: { id }, query: { status, page: page + 1, limit: LIMIT } },
    enabled: isFull,
  })
  const nextCount = isFull && !nextPage.isPlaceholderData ? (nextPage.data?.invitations.length ?? 0) : 0
  return {
    query,
    pagination: {
      page,
      limit: LIMIT,
      total: (page - 1) * LIMIT + count + nextCount,
      totalIsExact: nextCount < LIMIT,
    },
  }
}

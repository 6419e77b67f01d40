import type { Reply } from 'latchkey-sdk'
import { useRead } from '../../../api/use-api.ts'

export type Invitation = Reply<'GET /api/tenants/{id}/invitations'>['invitations'][number]
export type InvitationStatus = Invitation['status']

const LIMIT = 25

/** A page of invitations. The next one is read ahead: it is there at once, and tells whether there is one. */
export function useInvitationPage(id: string, status: InvitationStatus, page: number) {
  const query = useRead('GET /api/tenants/{id}/invitations', {
    input: { path: { id }, query: { status, page, limit: LIMIT } },
  })
  const count = query.data?.invitations.length ?? 0
  const isFull = count === LIMIT && !query.isPlaceholderData
  const ahead = useRead('GET /api/tenants/{id}/invitations', {
    input: { path: { id }, query: { status, page: page + 1, limit: LIMIT } },
    enabled: isFull,
  })
  const more = isFull && !ahead.isPlaceholderData ? (ahead.data?.invitations.length ?? 0) : 0
  return {
    query,
    pagination: {
      page,
      limit: LIMIT,
      total: (page - 1) * LIMIT + count + more,
      totalIsExact: more < LIMIT,
    },
  }
}

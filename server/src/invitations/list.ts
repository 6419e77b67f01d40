import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { InvitationStatus } from '../db/tables.ts'
import { toDisplayName } from '../lib/display-name.ts'
import type { InvitationList } from './schema.ts'
import { countInvitations, listInvitations } from './store.ts'

interface InvitationFilter {
  tenantId: string
  status: InvitationStatus
  page: number
  limit: number
}

/** A page of a tenant's invitations in a status, and the total. Overdue invitations count as EXPIRED. */
export async function listInvitationPage(
  ctx: Ctx,
  tx: Tx,
  { tenantId, status, page, limit }: InvitationFilter,
): Promise<InvitationList & { total: number }> {
  const filter = { tenantId, status, now: ctx.now() }
  const total = await countInvitations(tx, filter)
  const rows = await listInvitations(tx, filter, { offset: (page - 1) * limit, limit })
  const invitations = rows.map(({ invited_by, inviter_email, created_at, expires_at, ...row }) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    status,
    expiresAt: expires_at.toISOString(),
    createdAt: created_at.toISOString(),
    invitedBy:
      invited_by === null || inviter_email === null
        ? null
        : { id: invited_by, displayName: toDisplayName({ ...row, email: inviter_email }) },
  }))
  return { invitations, total }
}

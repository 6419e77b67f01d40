import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { InvitationStatus } from '../db/tables.ts'
import { displayNameOf } from '../lib/display-name.ts'
import type { InvitationList } from './schema.ts'
import { countInvitations, listInvitations } from './store.ts'

interface Wish {
  tenantId: string
  status: InvitationStatus
  page: number
  limit: number
}

/** The invitations of a tenant as they stand at this moment, and how many there are. */
export async function listOf(
  ctx: Ctx,
  tx: Tx,
  { tenantId, status, page, limit }: Wish,
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
        : { id: invited_by, displayName: displayNameOf({ ...row, email: inviter_email }) },
  }))
  return { invitations, total }
}

import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { loadMailDesign } from '../mail/design.ts'
import { queueMail } from '../mail/outbox.ts'
import { listRecipients } from './recipients.ts'
import { getTenant } from './service.ts'
import { type Tenant, updateTenant } from './store.ts'

/**
 * A suspended tenant issues no tokens, its existing tokens are refused, and nobody can act for it or join it. Its data
 * is kept and available again after the suspension.
 */

/** Suspends or reactivates a tenant. The caller must have locked it. Without a change nothing is recorded or sent. */
export async function setSuspended(
  ctx: Ctx,
  tx: Tx,
  { id, suspended, source }: { id: string; suspended: boolean; source: AuditSource },
): Promise<Tenant> {
  const tenant = await getTenant(tx, id)
  if ((tenant.suspended_at !== null) === suspended) return tenant
  await recordAuditEvent(ctx, tx, {
    ...source,
    action: suspended ? 'tenant.suspended' : 'tenant.reactivated',
    tenantId: id,
    details: { before: { suspended: !suspended }, after: { suspended } },
  })
  await mailAdmins(ctx, tx, { tenant, suspended })
  const now = ctx.now()
  const change = suspended ? { suspended_at: now } : { suspended_at: null, reactivated_at: now }
  return updateTenant(tx, id, { ...change, updated_at: now })
}

/** These mails come from the operator, so they do not have the brand of the tenant. */
async function mailAdmins(
  ctx: Ctx,
  tx: Tx,
  { tenant: { id: tenantId, name }, suspended }: { tenant: Tenant; suspended: boolean },
): Promise<void> {
  const kind = suspended ? 'tenant-suspended' : 'tenant-reactivated'
  const design = await loadMailDesign(tx, kind, { tenantId, fromOperator: true })
  const recipients = await listRecipients(tx, { tenantId, roles: ['owner', 'admin'] })
  const path = suspended ? '/account' : '/console'
  for (const admin of recipients) await queueMail(ctx, tx, admin, { kind, values: { tenant: name }, path, design })
}

import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { MailContent } from '../mail/content.tsx'
import { queueMail } from '../mail/outbox.ts'
import { quoteName } from '../mail/quote-name.ts'
import { getTenant } from './service.ts'
import { type Tenant, updateTenant } from './store.ts'
import { listAdminEmails } from './suspension-store.ts'

/**
 * A suspended tenant issues no tokens, its existing tokens are refused, and nobody can act for it or join it. Its data
 * is kept and available again after the suspension.
 */

const MAX_RECIPIENTS = 200

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
  const mail = suspended ? toSuspensionMail(tenant) : toReactivationMail(tenant)
  const recipients = await listAdminEmails(tx, { tenantId: id, limit: MAX_RECIPIENTS })
  for (const email of recipients) await queueMail(ctx, tx, email, mail)
  const now = ctx.now()
  const change = suspended ? { suspended_at: now } : { suspended_at: null, reactivated_at: now }
  return updateTenant(tx, id, { ...change, updated_at: now })
}

const toSuspensionMail = ({ name }: Tenant): MailContent => ({
  subject: `${quoteName(name)} is suspended`,
  paragraphs: [
    `The operator of this service has suspended ${quoteName(name)}, of which you are an owner or admin.`,
    'Until the suspension is ended nobody can sign in for it, invite people or use its licenses. Nothing is deleted: members, licenses and settings are kept.',
    'If you do not know why, ask the operator of this service.',
  ],
})

const toReactivationMail = ({ name }: Tenant): MailContent => ({
  subject: `${quoteName(name)} is not suspended any more`,
  paragraphs: [
    `The suspension of ${quoteName(name)}, of which you are an owner or admin, was ended. Everything is as it was before.`,
  ],
})

import { recordAuditEvent, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { loadMailDesign } from '../../mail/design.ts'
import type { Mail } from '../../mail/mail.ts'
import { queueMail } from '../../mail/outbox.ts'
import { redactUrl } from '../webhooks/redaction.ts'
import { pausePartitions } from '../webhooks/store.ts'
import { findTenantName, listSuperAdmins, listTenantAdmins, markDisabled } from './store.ts'

/** Limits the mails for a tenant with many administrators. */
const MAX_RECIPIENTS = 50

type Reason = 'GONE' | 'UNREACHABLE'

/** Disables a webhook and notifies its administrators. Pending deliveries are kept. */
export async function disableWebhook(ctx: Ctx, tx: Tx, id: string, reason: Reason): Promise<void> {
  const webhook = await markDisabled(tx, { id, reason, now: ctx.now() })
  if (!webhook) return
  const { tenant_id: tenantId, url } = webhook
  await pausePartitions(tx, id)
  const details = { webhookId: id, reason }
  await recordAuditEvent(ctx, tx, {
    action: 'webhook.disabled',
    actor: SYSTEM,
    ...(tenantId !== null && { tenantId }),
    details,
  })
  const recipients =
    tenantId === null ? await listSuperAdmins(tx, MAX_RECIPIENTS) : await listTenantAdmins(tx, tenantId, MAX_RECIPIENTS)
  const notice = await createNotice(tx, tenantId, { reason, url: redactUrl(url) })
  for (const recipient of recipients) await queueMail(ctx, tx, recipient, notice)
}

async function createNotice(
  tx: Tx,
  tenantId: string | null,
  { reason, url }: { reason: Reason; url: string },
): Promise<Mail> {
  const common = {
    path: '/console',
    facts: [
      { label: 'webhook', value: url },
      { label: 'disabledReason', value: reason },
    ],
  } satisfies Partial<Mail>
  if (tenantId === null) {
    const kind = 'instance-webhook-disabled'
    return { ...common, kind, design: await loadMailDesign(tx, kind) }
  }
  const kind = 'webhook-disabled'
  const tenant = (await findTenantName(tx, tenantId))?.name ?? tenantId
  return { ...common, kind, values: { tenant }, design: await loadMailDesign(tx, kind, { tenantId }) }
}

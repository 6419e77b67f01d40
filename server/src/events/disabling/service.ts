import { recordAuditEvent, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { MailContent } from '../../mail/content.tsx'
import { queueMail } from '../../mail/outbox.ts'
import { quoteName } from '../../mail/quote-name.ts'
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
  const ownerName =
    tenantId === null ? ctx.config.baseUrl : quoteName((await findTenantName(tx, tenantId))?.name ?? tenantId)
  for (const { email } of recipients) await queueMail(ctx, tx, email, createNotice(reason, redactUrl(url), ownerName))
}

const REASON_TEXTS: Record<Reason, string> = {
  GONE: 'It answered that it is gone for good (410).',
  UNREACHABLE: 'No delivery has succeeded for three days.',
}

/** The URL was chosen by one member and is shown to others, so it is shortened. */
const MAX_URL_LENGTH = 200

const createNotice = (reason: Reason, url: string, ownerName: string): MailContent => ({
  subject: `A webhook of ${ownerName} was disabled`,
  paragraphs: [
    `Events of ${ownerName} are no longer sent to ${quoteName(url, MAX_URL_LENGTH)}. ${REASON_TEXTS[reason]}`,
    'Pending deliveries are kept and are sent once the webhook is enabled again. Events from the time in between are not sent automatically, but can be replayed.',
  ],
})

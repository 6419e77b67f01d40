import { record, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { Letter } from '../../mail/letter.tsx'
import { queueMail } from '../../mail/outbox.ts'
import { quoted } from '../../mail/quoted.ts'
import { shownUrl } from '../webhooks/redaction.ts'
import { parkLanes } from '../webhooks/store.ts'
import { disable, findTenantName, listStewards, listSuperAdmins } from './store.ts'

/** So many are told; a tenant may have more who look after it. */
const MOST_TOLD = 50

type Reason = 'GONE' | 'UNREACHABLE'

/** Stops sending to a webhook, and tells those who look after it. What waits is kept. */
export async function disableWebhook(ctx: Ctx, tx: Tx, id: string, reason: Reason): Promise<void> {
  const webhook = await disable(tx, { id, reason, now: ctx.now() })
  if (!webhook) return
  const { tenant_id: tenantId, url } = webhook
  await parkLanes(tx, id)
  const details = { webhookId: id, reason }
  const entry = { action: 'webhook.disabled', actor: SYSTEM, details } as const
  await record(ctx, tx, { ...entry, ...(tenantId !== null && { tenantId }) })
  const told =
    tenantId === null ? await listSuperAdmins(tx, MOST_TOLD) : await listStewards(tx, tenantId, MOST_TOLD)
  const place =
    tenantId === null ? ctx.config.baseUrl : quoted((await findTenantName(tx, tenantId))?.name ?? tenantId)
  for (const { email } of told) await queueMail(ctx, tx, email, noticeOf(reason, shownUrl(url), place))
}

const WHY: Record<Reason, string> = {
  GONE: 'It answered that it is gone for good (410).',
  UNREACHABLE: 'Nothing has reached it for three days.',
}

/** Whoever made the webhook chose where it leads, and is not the only one who is told. */
const LONGEST_URL = 200

const noticeOf = (reason: Reason, url: string, place: string): Letter => ({
  subject: `A webhook of ${place} was disabled`,
  paragraphs: [
    `Events of ${place} are not sent to ${quoted(url, LONGEST_URL)} any more. ${WHY[reason]}`,
    'What is waiting is kept, and is sent once the webhook is enabled again. What happens until then is not sent of itself, and can be replayed.',
  ],
})

import type { AuditSource } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { loadMailDesign } from '../mail/design.ts'
import { queueMail } from '../mail/outbox.ts'
import { findUser } from '../users/service.ts'
import { listRecipients } from './recipients.ts'

/** Tells the owners, except the one who did it, that operators may act as members from now on. */
export async function mailSupportAllowed(
  ctx: Ctx,
  tx: Tx,
  { tenant, source: { actor } }: { tenant: { id: string; name: string }; source: AuditSource },
): Promise<void> {
  const kind = 'support-access-allowed'
  const actorId = actor.kind === 'user' ? actor.id : undefined
  const user = actorId === undefined ? undefined : await findUser(tx, actorId)
  const design = await loadMailDesign(tx, kind, { tenantId: tenant.id, fromOperator: true })
  const exceptIds = actorId === undefined ? [] : [actorId]
  const owners = await listRecipients(tx, { tenantId: tenant.id, roles: ['owner'], exceptIds })
  const values = { tenant: tenant.name, actor: user ? toDisplayName(user) : '' }
  for (const owner of owners) await queueMail(ctx, tx, owner, { kind, values, path: '/console', design })
}

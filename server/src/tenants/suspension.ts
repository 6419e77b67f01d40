import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Letter } from '../mail/letter.tsx'
import { queueMail } from '../mail/outbox.ts'
import { quoted } from '../mail/quoted.ts'
import { getTenant } from './service.ts'
import { type Tenant, updateTenant } from './store.ts'
import { listCaretakers } from './suspension/store.ts'

/**
 * A suspended tenant is closed: nobody gets tokens for it, those that there are die, and nobody works or joins there.
 * All that is its own stays, and is there again when the suspension ends.
 */

/** So many owners and admins are told by mail. */
const MOST_LETTERS = 200

/** Suspends a tenant that nobody else changes meanwhile, or ends that. What is as it should be is left alone. */
export async function setSuspended(
  ctx: Ctx,
  tx: Tx,
  { id, suspended, source }: { id: string; suspended: boolean; source: Source },
): Promise<Tenant> {
  const tenant = await getTenant(tx, id)
  if ((tenant.suspended_at !== null) === suspended) return tenant
  await record(ctx, tx, {
    ...source,
    action: suspended ? 'tenant.suspended' : 'tenant.reactivated',
    tenantId: id,
    details: { before: { suspended: !suspended }, after: { suspended } },
  })
  const letter = suspended ? suspensionLetter(tenant) : reactivationLetter(tenant)
  const caretakers = await listCaretakers(tx, { tenantId: id, limit: MOST_LETTERS })
  for (const email of caretakers) await queueMail(ctx, tx, email, letter)
  const now = ctx.now()
  const change = suspended ? { suspended_at: now } : { suspended_at: null, reactivated_at: now }
  return updateTenant(tx, id, { ...change, updated_at: now })
}

const suspensionLetter = ({ name }: Tenant): Letter => ({
  subject: `${quoted(name)} is suspended`,
  paragraphs: [
    `Whoever runs this service has suspended ${quoted(name)}, of which you are an owner or admin.`,
    'Until the suspension is ended nobody can sign in for it, invite people or use its licences. Nothing is deleted: members, licences and settings stay as they are.',
    'If you do not know why, ask whoever runs this service.',
  ],
})

const reactivationLetter = ({ name }: Tenant): Letter => ({
  subject: `${quoted(name)} is not suspended any more`,
  paragraphs: [
    `The suspension of ${quoted(name)}, of which you are an owner or admin, was ended. Everything is as it was before.`,
  ],
})

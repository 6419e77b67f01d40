import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { describeCascade } from '../../declaration/compare.ts'
import type { Change, Entry } from '../../declaration/section.ts'
import { removeClientInTx } from '../clients/registration.ts'
import { listClientsByClientId } from '../clients/store.ts'
import { removeApplicationInTx } from '../service.ts'
import { listApplicationDeletions } from './store.ts'

export async function planApplicationRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const slugs = entries.map(({ slug }) => String(slug))
  const deletions = await listApplicationDeletions(ctx.db, slugs)
  return deletions.map(({ id, slug, clients, resources, licenseTypes, subscriptions, seats }) => ({
    action: 'delete',
    subject: `application ${slug}`,
    fields: describeCascade({ clients, resources, 'license types': licenseTypes, subscriptions, seats }),
    apply: (tx) => removeApplicationInTx(ctx, tx, { id, source: OPERATOR_SOURCE }),
  }))
}

export async function planClientRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const clientIds = entries.map(({ clientId }) => String(clientId))
  const clients = await listClientsByClientId(ctx.db, clientIds)
  return clients
    .toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1))
    .map(({ id, clientId, kind, applicationSlug }) => ({
      action: 'delete',
      subject: `client ${clientId}`,
      fields: [`${kind} of ${applicationSlug}; its secrets and tokens end`],
      apply: (tx) => removeClientInTx(ctx, tx, { id, source: OPERATOR_SOURCE }),
    }))
}

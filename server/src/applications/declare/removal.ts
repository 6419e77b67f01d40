import { OPERATOR } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { describeLoss } from '../../declaration/compare.ts'
import type { Change, Entry } from '../../declaration/section.ts'
import { dropClient } from '../clients/registration.ts'
import { listClientsByClientId } from '../clients/store.ts'
import { dropApplication } from '../service.ts'
import { listLeavingApplications } from './store.ts'

export async function planApplicationRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const slugs = entries.map(({ slug }) => String(slug))
  const leaving = await listLeavingApplications(ctx.db, slugs)
  return leaving.map(({ id, slug, clients, licenseTypes, subscriptions, seats }) => ({
    action: 'delete',
    subject: `application ${slug}`,
    fields: describeLoss({ clients, 'licence types': licenseTypes, subscriptions, seats }),
    apply: (tx) => dropApplication(ctx, tx, { id, source: OPERATOR }),
  }))
}

export async function planClientRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const clientIds = entries.map(({ clientId }) => String(clientId))
  const leaving = await listClientsByClientId(ctx.db, clientIds)
  return leaving
    .toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1))
    .map(({ id, clientId, kind, applicationSlug }) => ({
      action: 'delete',
      subject: `client ${clientId}`,
      fields: [`${kind} of ${applicationSlug}; its secrets and tokens end`],
      apply: (tx) => dropClient(ctx, tx, { id, source: OPERATOR }),
    }))
}

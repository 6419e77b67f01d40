import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { Entry } from '../declaration/section.ts'
import type { MailEdits } from '../mail/design-store.ts'

/** The tenant whose texts these are; undefined: the instance. */
export type TemplateOwner = { tenantId: string } | undefined

export type StoredTemplate = MailEdits & { kind: string; updatedAt: Date }

export const listTemplates = (db: Db, owner: TemplateOwner): Promise<StoredTemplate[]> => {
  const columns = ['kind', 'subject', 'heading', 'body as text', 'button', 'updated_at as updatedAt'] as const
  return owner
    ? db.selectFrom('tenant_mail_templates').select(columns).where('tenant_id', '=', owner.tenantId).execute()
    : db.selectFrom('mail_templates').select(columns).execute()
}

/** Serializes changes of the texts of the instance. The texts of a tenant are under the lock of the tenant. */
export async function lockTemplates(tx: Tx): Promise<void> {
  await sql`lock table mail_templates in share row exclusive mode`.execute(tx)
}

export async function upsertTemplate(
  tx: Tx,
  owner: TemplateOwner,
  { kind, text: body, updatedAt: updated_at, ...rest }: StoredTemplate,
): Promise<void> {
  const values = { ...rest, body, updated_at }
  if (owner) {
    await tx
      .insertInto('tenant_mail_templates')
      .values({ tenant_id: owner.tenantId, kind, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'kind']).doUpdateSet(values))
      .execute()
  } else {
    await tx
      .insertInto('mail_templates')
      .values({ kind, ...values })
      .onConflict((conflict) => conflict.column('kind').doUpdateSet(values))
      .execute()
  }
}

export async function deleteTemplate(tx: Tx, owner: TemplateOwner, kind: string): Promise<void> {
  if (owner) {
    await tx
      .deleteFrom('tenant_mail_templates')
      .where('tenant_id', '=', owner.tenantId)
      .where('kind', '=', kind)
      .execute()
  } else await tx.deleteFrom('mail_templates').where('kind', '=', kind).execute()
}

export const findTenantName = async (db: Db, id: string): Promise<string | undefined> =>
  (await db.selectFrom('tenants').select('name').where('id', '=', id).executeTakeFirst())?.name

/** The texts of all tenants with these slugs, or of all tenants. */
export const listTenantTemplates = (
  db: Db,
  slugs?: string[],
): Promise<(MailEdits & { tenant: string; tenantId: string; kind: string })[]> =>
  db
    .selectFrom('tenant_mail_templates')
    .innerJoin('tenants', 'tenants.id', 'tenant_mail_templates.tenant_id')
    .select([
      'tenants.slug as tenant',
      'tenants.id as tenantId',
      'kind',
      'subject',
      'heading',
      'body as text',
      'button',
    ])
    .$if(slugs !== undefined, (query) => query.where('tenants.slug', 'in', slugs ?? []))
    .orderBy(sql`tenants.slug collate "C", kind collate "C"`)
    .execute()

export const findTenantId = async (db: Db, slug: string): Promise<string | undefined> =>
  (await db.selectFrom('tenants').select('id').where('slug', '=', slug).executeTakeFirst())?.id

/** As entries of a declaration: texts that are the default are left out. */
export const toEntry = (keys: Entry, { subject, heading, text, button }: MailEdits): Entry => ({
  ...keys,
  ...Object.fromEntries(Object.entries({ subject, heading, text, button }).filter(([, value]) => value !== null)),
})

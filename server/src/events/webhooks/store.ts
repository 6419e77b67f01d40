import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { WebhooksTable } from '../../db/tables.ts'

export type Webhook = Selectable<WebhooksTable>

/** The tenant that owns a webhook; null: the instance. */
export type Owner = string | null

const ownedBy = (db: Db, owner: Owner) => db.selectFrom('webhooks').where('tenant_id', 'is not distinct from', owner)

export const listWebhooks = (db: Db, owner: Owner): Promise<Webhook[]> =>
  ownedBy(db, owner).selectAll().orderBy('id').execute()

export async function countWebhooks(db: Db, owner: Owner): Promise<number> {
  const { count } = await ownedBy(db, owner)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findWebhook = (db: Db, owner: Owner, id: string): Promise<Webhook | undefined> =>
  ownedBy(db, owner).selectAll().where('id', '=', id).executeTakeFirst()

/** Locks the webhook until the transaction ends. */
export const lockWebhook = (tx: Tx, owner: Owner, id: string): Promise<Webhook | undefined> =>
  ownedBy(tx, owner).selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** Serializes the creation of instance webhooks, so that the limit cannot be exceeded. */
export async function lockCursor(tx: Tx): Promise<void> {
  await tx.selectFrom('webhook_cursor').select('position').forUpdate().execute()
}

export const insertWebhook = (tx: Tx, webhook: Insertable<WebhooksTable>): Promise<Webhook> =>
  tx.insertInto('webhooks').values(webhook).returningAll().executeTakeFirstOrThrow()

export const updateWebhook = (tx: Tx, id: string, change: Updateable<WebhooksTable>): Promise<Webhook> =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function deleteWebhook(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
}

/** Stops the partitions of a disabled webhook from becoming due. */
export async function pausePartitions(tx: Tx, webhookId: string): Promise<void> {
  await tx.updateTable('webhook_lanes').set({ due_at: null }).where('webhook_id', '=', webhookId).execute()
}

/** Makes pending deliveries due now and resets their attempts. */
export async function resumePartitions(tx: Tx, webhookId: string, now: Date): Promise<void> {
  await sql`
    update webhook_lanes set due_at = ${now}
    where webhook_id = ${webhookId} and exists (
      select from webhook_deliveries as waiting
      where waiting.webhook_id = webhook_lanes.webhook_id and waiting.lane = webhook_lanes.lane
        and waiting.status = 'PENDING'
    )
  `.execute(tx)
  await sql`
    update webhook_deliveries set attempts = 0, first_attempt_at = null, next_attempt_at = null
    where webhook_id = ${webhookId} and status = 'PENDING' and first_attempt_at is not null
  `.execute(tx)
}

import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** Deletes a batch of deliveries finished before the given time and returns their number. */
export async function deleteFinishedDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where finished_at < ${before} order by finished_at limit ${limit}
      for update skip locked
    ) and finished_at < ${before}
  `.execute(db)
  return Number(numAffectedRows)
}

/** Deletes partitions without deliveries, such as those of deleted tenants. */
export async function deleteIdlePartitions(db: Db): Promise<void> {
  await sql`
    delete from webhook_lanes where due_at is null and not exists (
      select from webhook_deliveries
      where webhook_deliveries.webhook_id = webhook_lanes.webhook_id
        and webhook_deliveries.lane = webhook_lanes.lane
    )
  `.execute(db)
}

export async function deletePreviousSecrets(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ sealed_previous_secret: null, previous_secret_until: null })
    .where('previous_secret_until', '<=', now)
    .execute()
}

export interface SealedSecrets {
  id: string
  secret: Buffer
  previous: Buffer | null
}

/** Webhooks with a secret that was not sealed with the key of this mark. */
export async function listOutdatedSecrets(
  db: Db,
  { mark, after, limit }: { mark: Buffer; after: string; limit: number },
): Promise<SealedSecrets[]> {
  const { rows } = await sql<SealedSecrets>`
    select id, sealed_secret as secret, sealed_previous_secret as previous from webhooks
    where id > ${after} and (
      substring(sealed_secret from 1 for ${mark.length}::int) <> ${mark}
      or substring(sealed_previous_secret from 1 for ${mark.length}::int) <> ${mark}
    )
    order by id limit ${limit}
  `.execute(db)
  return rows
}

/** Has no effect if the secrets were replaced concurrently. */
export async function replaceSecrets(
  db: Db,
  { id, secret, previous }: SealedSecrets,
  seals: { sealed_secret: Buffer; sealed_previous_secret: Buffer | null },
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set(seals)
    .where('id', '=', id)
    .where('sealed_secret', '=', secret)
    .where('sealed_previous_secret', 'is not distinct from', previous)
    .execute()
}

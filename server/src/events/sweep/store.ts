import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** Deletes some of what was delivered or given up before a moment; says how many. */
export async function deleteFinished(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where finished_at < ${before} order by finished_at limit ${limit}
      for update skip locked
    ) and finished_at < ${before}
  `.execute(db)
  return Number(numAffectedRows)
}

/** Lanes in which nothing waits and of which nothing is known, such as those of tenants that are gone. */
export async function deleteIdleLanes(db: Db): Promise<void> {
  await sql`
    delete from webhook_lanes where due_at is null and not exists (
      select from webhook_deliveries
      where webhook_deliveries.webhook_id = webhook_lanes.webhook_id
        and webhook_deliveries.lane = webhook_lanes.lane
    )
  `.execute(db)
}

export async function forgetPreviousSecrets(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ sealed_previous_secret: null, previous_secret_until: null })
    .where('previous_secret_until', '<=', now)
    .execute()
}

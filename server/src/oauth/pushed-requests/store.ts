import { sql } from 'kysely'
import { falseIfReferenceGone } from '../../db/errors.ts'
import type { Db } from '../../db/open.ts'

interface NewPushedRequest {
  hash: Buffer
  clientId: string
  sealedParameters: Buffer
  now: Date
  expiresAt: Date
}

/** Each insertion also deletes two expired rows, so that the table stays small between the hourly sweeps. */
export async function insertPushedRequest(
  db: Db,
  { hash, clientId, sealedParameters, now, expiresAt }: NewPushedRequest,
): Promise<void> {
  await sql`
    with expired as (
      delete from pushed_requests where hash in (
        select hash from pushed_requests where expires_at <= ${now} order by expires_at limit 2 for update skip locked)
    )
    insert into pushed_requests (hash, client_id, sealed_parameters, expires_at)
    values (${hash}, ${clientId}, ${sealedParameters}, ${expiresAt})`.execute(db)
}

export const findPushedRequest = (db: Db, hash: Buffer) =>
  db
    .selectFrom('pushed_requests')
    .select(['client_id', 'sealed_parameters', 'expires_at'])
    .where('hash', '=', hash)
    .executeTakeFirst()

/**
 * Uses up a request; false if it was used before or its client was deleted. A row that was deleted after it expired is
 * added again, because the sign-in may take longer than the request is kept.
 */
export const usePushedRequest = (
  db: Db,
  { hash, clientId, keptUntil }: { hash: Buffer; clientId: string; keptUntil: Date },
): Promise<boolean> =>
  falseIfReferenceGone(async () => {
    const used = { sealed_parameters: null, expires_at: keptUntil }
    const row = await db
      .insertInto('pushed_requests')
      .values({ hash, client_id: clientId, ...used })
      .onConflict((conflict) =>
        conflict.column('hash').doUpdateSet(used).where('pushed_requests.sealed_parameters', 'is not', null),
      )
      .returning('hash')
      .executeTakeFirst()
    return row !== undefined
  })

export async function deleteExpiredPushedRequests(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('pushed_requests').where('expires_at', '<=', now).execute()
}

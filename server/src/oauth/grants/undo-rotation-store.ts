import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { isConnected } from '../../db/processes.ts'

/**
 * Undoes a rotation: deletes the successor, makes the token valid again, and binds the grant to the key that it was bound
 * to. Does nothing if the successor was already used.
 */
export async function undoRotation(
  db: Db,
  { hash, successor, jkt }: { hash: Buffer; successor: Buffer; jkt: string | null },
): Promise<void> {
  await sql`
    with locked as (
      select grants.id from grants join refresh_tokens on refresh_tokens.grant_id = grants.id
      where refresh_tokens.hash = ${hash} for no key update of grants
    ), deleted as (
      delete from refresh_tokens using locked
      where refresh_tokens.hash = ${successor} and (refresh_tokens.grant_id = locked.id) is true and used_at is null
      returning grant_id
    ), bound as (
      update grants set dpop_jkt = ${jkt} from deleted
      where grants.id = deleted.grant_id and dpop_jkt is distinct from ${jkt}::text
    )
    update refresh_tokens set used_at = null from deleted
    where refresh_tokens.hash = ${hash} and (refresh_tokens.grant_id = deleted.grant_id) is true
  `.execute(db)
}

/**
 * Makes a token valid again whose process was killed and may not have responded. Only if the successor is unused. The
 * successor is marked as used, so that a client that received it after all triggers reuse detection.
 */
export async function undoRotationOfDeadProcess(
  db: Db,
  { hash, now, usedAfter }: { hash: Buffer; now: Date; usedAfter: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with presented as (
      select grant_id, used_at from refresh_tokens where hash = ${hash} and used_at > ${usedAfter}
    ), locked as (
      select id from grants where id = (select grant_id from presented) for no key update
    ), withdrawn as (
      update refresh_tokens set used_at = ${now} from locked, presented
      where refresh_tokens.grant_id = locked.id and refresh_tokens.created_at = presented.used_at
        and refresh_tokens.used_at is null
        and exists (
          select from processes
          where number = refresh_tokens.process and not ${isConnected(sql.ref('processes.number'))})
      returning refresh_tokens.grant_id
    )
    update refresh_tokens set used_at = null from withdrawn
    where refresh_tokens.hash = ${hash} and (refresh_tokens.grant_id = withdrawn.grant_id) is true
    returning hash
  `.execute(db)
  return rows.length > 0
}

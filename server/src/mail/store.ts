import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'

export interface StoredMail {
  id: string
  recipient: string
  sealed: Buffer
  created_at: Date
}

export async function insertMail(tx: Tx, mail: StoredMail): Promise<void> {
  await tx.insertInto('mail_messages').values(mail).execute()
}

export const findMail = (db: Db, id: string): Promise<StoredMail | undefined> =>
  db.selectFrom('mail_messages').selectAll().where('id', '=', id).executeTakeFirst()

export async function deleteMail(db: Db, id: string): Promise<void> {
  await db.deleteFrom('mail_messages').where('id', '=', id).execute()
}

/** The newest mail to one address, or to all. */
export const listNewestMail = (
  db: Db,
  { to, limit }: { to?: string | undefined; limit: number },
): Promise<StoredMail[]> =>
  db
    .selectFrom('mail_messages')
    .selectAll()
    .$if(to !== undefined, (query) => query.where('recipient', '=', to ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Bounds the cost of counting. */
const MAX_COUNTED = 10_000

/** The number of queued mails and the age of the oldest one in seconds. */
export const queuedMailQuery = sql<{ waiting: number; oldest: number }>`
  select
    (select count(*) from (select from mail_messages limit ${sql.lit(MAX_COUNTED)}) as counted) as waiting,
    coalesce(extract(epoch from now() - (select min(created_at) from mail_messages)), 0) as oldest`

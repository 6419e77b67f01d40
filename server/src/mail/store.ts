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

export const listNewestMail = (db: Db, limit: number): Promise<StoredMail[]> =>
  db
    .selectFrom('mail_messages')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

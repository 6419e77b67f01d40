import type { Db } from './open.ts'

/** The fact that the instance contains the demo data, whose passwords are public. */
export const DEMO_DATA = 'demo_world'

export const findFact = (db: Db, name: string): Promise<{ name: string } | undefined> =>
  db.selectFrom('instance_facts').select('name').where('name', '=', name).executeTakeFirst()

export async function recordFact(db: Db, name: string): Promise<void> {
  await db
    .insertInto('instance_facts')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** True if there is no account yet. */
export async function isEmptyInstance(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined
}

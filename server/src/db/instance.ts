import type { Db } from './open.ts'

/** The instance was filled with the demo, whose passwords are public. */
export const DEMO_WORLD = 'demo_world'

export const findFact = (db: Db, name: string): Promise<{ name: string } | undefined> =>
  db.selectFrom('instance_facts').select('name').where('name', '=', name).executeTakeFirst()

export async function recordFact(db: Db, name: string): Promise<void> {
  await db
    .insertInto('instance_facts')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Nobody has an account yet. */
export async function isEmptyInstance(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined
}

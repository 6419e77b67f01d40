import { sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import type { Db } from './open.ts'

/**
 * Row-level security keeps tenants apart, and holds back neither a superuser nor a role with BYPASSRLS. Where the
 * service was given one, this makes a role that may do the same but for that, in which it then works for a tenant.
 */
export async function raiseWall(db: Db): Promise<void> {
  if (await isHeldBack(db)) return
  try {
    await makeRole(db)
  } catch (error) {
    // Another node, or another database of the server, may have been quicker.
    if (!(await isHeldBackInRole(db))) throw refuse(error)
  }
  if (!(await isHeldBackInRole(db))) throw refuse(undefined)
}

const isHeldBack = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ held: boolean }>`select row_security_active('memberships') as held`.execute(db)
  return rows[0]?.held === true
}

const makeRole = (db: Db): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await sql`
      do $$
      begin
        if not exists (select from pg_roles where rolname = 'latchkey_tenant') then
          create role latchkey_tenant nologin;
        end if;
        execute format(
          'grant %I to latchkey_tenant', (select tableowner from pg_tables where tablename = 'memberships'
            and schemaname = current_schema())
        );
      end
      $$`.execute(tx)
  })

async function isHeldBackInRole(db: Db): Promise<boolean> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`select set_config('role', 'latchkey_tenant', true)`.execute(tx)
      return isHeldBack(tx)
    })
  } catch {
    return false
  }
}

const refuse = (cause: unknown) =>
  new OperatorError(
    'The database role of DATABASE_URL passes row-level security (BYPASSRLS) and may not make a role that does not. ' +
      'Use an ordinary role that owns the database.',
    { cause },
  )

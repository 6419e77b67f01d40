import { sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import type { Db } from './open.ts'

/**
 * Row-level security isolates tenants, but does not apply to superusers and roles with BYPASSRLS. If the service connects
 * as such a role, this creates a role without it, which transactions in tenant scope switch to.
 */
export async function ensureRowSecurity(db: Db): Promise<void> {
  if (await isRowSecurityActive(db)) return
  try {
    await createTenantRole(db)
  } catch (error) {
    // The role belongs to the whole server, so another node or another database may have created it concurrently.
    if (!(await isRowSecurityActiveInRole(db))) throw bypassError(error)
  }
  if (!(await isRowSecurityActiveInRole(db))) throw bypassError(undefined)
}

const isRowSecurityActive = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ active: boolean }>`
    select row_security_active('memberships') as active`.execute(db)
  return rows[0]?.active === true
}

const createTenantRole = (db: Db): Promise<void> =>
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

async function isRowSecurityActiveInRole(db: Db): Promise<boolean> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`select set_config('role', 'latchkey_tenant', true)`.execute(tx)
      return isRowSecurityActive(tx)
    })
  } catch {
    return false
  }
}

const bypassError = (cause: unknown) =>
  new OperatorError(
    'The database role of DATABASE_URL bypasses row-level security (BYPASSRLS) and may not create a role that does not. ' +
      'Use an ordinary role that owns the database.',
    { cause },
  )

import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'

/** Runs several queries in one statement. The rows are JSON, so dates are strings. */
export async function queryAll(db: Db, queries: RawBuilder<unknown>[]): Promise<unknown[][]> {
  const results = queries.map((query) => sql`(select coalesce(json_agg(result), '[]') from (${query}) as result)`)
  const { rows } = await sql<{ results: unknown[][] }>`
    select json_build_array(${sql.join(results)}) as results
  `.execute(db)
  return rows[0]?.results ?? []
}

import pg from 'pg'
import { inject } from 'vitest'
import type { TestService } from './service.ts'

export interface Statement {
  query: string
  calls: number
}

/** What the database is asked on behalf of the service, as the database itself counts. */
export interface StatementWatch {
  /** The statements of some work, transactions' beginnings and ends included. */
  list(work: () => Promise<unknown>): Promise<Statement[]>
  /** How many these are. */
  count(work: () => Promise<unknown>): Promise<number>
  /** How many pages of the database they touched. */
  pages(work: () => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

/** A statement that was prepared before it was counted is told with its constants, any other without. */
const shapeOf = (query: string): string =>
  query.replace(/\$\d+|\b\d+(?:\.\d+)?\b|'[^']*'|\b(?<=extract\()epoch\b/g, '?')

const HERE = '(select oid from pg_database where datname = current_database())'

export async function watchStatements({ connection, ctx }: TestService): Promise<StatementWatch> {
  const owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: connection.name })
  owner.on('error', () => {})
  await owner.connect()
  await owner.query('create extension pg_stat_statements')
  const watch = async (work: () => Promise<unknown>): Promise<(Statement & { pages: number })[]> => {
    // Changes made before are announced by now, so that the announcements are not counted.
    await ctx.changes.settle()
    await owner.query(`select pg_stat_statements_reset(0, ${HERE})`)
    await work()
    const { rows } = await owner.query<Statement & { pages: number }>(
      // The feed of changes speaks up now and then, whatever else happens.
      `select query, calls::int, (shared_blks_hit + shared_blks_read)::int as pages from pg_stat_statements
       where dbid = ${HERE} and userid <> (select oid from pg_roles where rolname = 'postgres')
         and query not in ('select $1', 'select pg_notify($1, $2)', 'listen latchkey_changes')
       order by query`,
    )
    return rows
  }
  return {
    // What is there takes more pages to find than what is not, and is no other statement for that.
    list: async (work) => (await watch(work)).map(({ query, calls }) => ({ query: shapeOf(query), calls })),
    count: async (work) => (await watch(work)).reduce((sum, { calls }) => sum + calls, 0),
    pages: async (work) => (await watch(work)).reduce((sum, { pages }) => sum + pages, 0),
    close: () => owner.end(),
  }
}

import pg from 'pg'
import { inject } from 'vitest'
import type { TestService } from './service.ts'

export interface Statement {
  query: string
  calls: number
}

/** The statements of the service, from pg_stat_statements. */
export interface StatementWatch {
  /** The statements of some work, including BEGIN and COMMIT. */
  list(work: () => Promise<unknown>): Promise<Statement[]>
  /** The number of statements. */
  count(work: () => Promise<unknown>): Promise<number>
  /** The number of pages that they read. */
  pages(work: () => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

/** pg_stat_statements keeps the constants of statements that were prepared before the reset, so they are replaced. */
const normalize = (query: string): string =>
  query.replace(/\$\d+|\b\d+(?:\.\d+)?\b|'[^']*'|\b(?<=extract\()epoch\b/g, '?')

/** Statements of the change feed and of new connections, which may run at any time. */
const BACKGROUND_STATEMENTS = new Set(['select ?', 'select pg_notify(?, ?)', 'set lock_timeout = ?'])

const DATABASE_OID = '(select oid from pg_database where datname = current_database())'

export async function watchStatements({ connection, ctx }: TestService): Promise<StatementWatch> {
  const owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: connection.name })
  owner.on('error', () => {})
  await owner.connect()
  await owner.query('create extension pg_stat_statements')
  const watch = async (work: () => Promise<unknown>): Promise<(Statement & { pages: number })[]> => {
    // Notifications of earlier changes must not be counted.
    await ctx.changes.waitUntilCurrent()
    await owner.query(`select pg_stat_statements_reset(0, ${DATABASE_OID})`)
    await work()
    const { rows } = await owner.query<Statement & { pages: number }>(
      `select query, calls::int, (shared_blks_hit + shared_blks_read)::int as pages from pg_stat_statements
       where dbid = ${DATABASE_OID} and userid <> (select oid from pg_roles where rolname = 'postgres')
       order by query`,
    )
    return rows
      .map((row) => ({ ...row, query: normalize(row.query) }))
      .filter(({ query }) => !BACKGROUND_STATEMENTS.has(query))
  }
  return {
    // Without the pages, which differ between rows that exist and rows that do not.
    list: async (work) => (await watch(work)).map(({ query, calls }) => ({ query, calls })),
    count: async (work) => (await watch(work)).reduce((sum, { calls }) => sum + calls, 0),
    pages: async (work) => (await watch(work)).reduce((sum, { pages }) => sum + pages, 0),
    close: () => owner.end(),
  }
}

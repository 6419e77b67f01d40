import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../src/db/tables.ts'

export interface TouchedTables {
  db: Kysely<Tables>
  /** The tables that the statements of some work on `db` actually read; for partitioned tables, the partitions. */
  listFor(work: () => Promise<unknown>): Promise<string[]>
}

interface Node {
  'Relation Name'?: string
  'Actual Loops': number
  Plans?: Node[]
}

const tablesOf = (node: Node): string[] => [
  ...(node['Relation Name'] !== undefined && node['Actual Loops'] > 0 ? [node['Relation Name']] : []),
  ...(node.Plans ?? []).flatMap(tablesOf),
]

export function openTouchedTables(pool: pg.Pool): TouchedTables {
  const statements: { sql: string; parameters: unknown[] }[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query: { sql, parameters } }) => void statements.push({ sql, parameters: [...parameters] }),
  })
  return {
    db,
    async listFor(work) {
      statements.length = 0
      await work()
      const tables = new Set<string>()
      for (const { sql, parameters } of [...statements]) {
        const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, parameters)
        const plan = (rows[0] as { 'QUERY PLAN': { Plan: Node }[] })['QUERY PLAN'][0]?.Plan
        for (const table of plan ? tablesOf(plan) : []) tables.add(table)
      }
      return [...tables].sort()
    },
  }
}

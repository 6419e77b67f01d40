import { hash } from 'node:crypto'
import type pg from 'pg'

/**
 * Frequent statements become prepared statements, because parsing and planning takes longer than executing them. A
 * statement is prepared after this number of uses.
 */
const MIN_USES = 10
/** Prepared statements take memory in every connection. */
const MAX_PREPARED = 400
const MAX_COUNTED = 2_000
const MAX_TEXT_LENGTH = 10_000

/** PostgreSQL's error for a prepared statement whose result columns have changed with the schema. */
const OUTDATED = /cached plan must not change result type/

/**
 * Repeats a transaction if the schema changed during it, as in a rolling upgrade. The statements have been prepared again
 * by then.
 */
export async function retryIfSchemaChanged<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!OUTDATED.test(String(error))) throw error
    return transaction()
  }
}

/**
 * A comment that excludes a statement from preparation, because its best plan depends on the parameters, such as the
 * words of a search.
 */
export const PLANNED_EACH_TIME = '/* planned each time */'

/** The prepared statement names of one pool. */
function createStatementNames() {
  let uses = new Map<string, number>()
  let names = new Map<string, string>()
  let generation = 0
  return {
    /** Counts a use, and returns a name once the statement is to be prepared. */
    find(text: string): string | undefined {
      const existing = names.get(text)
      if (existing !== undefined || names.size >= MAX_PREPARED || text.length > MAX_TEXT_LENGTH) return existing
      const count = (uses.get(text) ?? 0) + 1
      if (count === 1 && uses.size >= MAX_COUNTED) uses = new Map()
      uses.set(text, count)
      if (count < MIN_USES || text.includes(PLANNED_EACH_TIME)) return undefined
      const name = `latchkey_${generation}_${hash('sha256', text, 'base64url').slice(0, 22)}`
      names.set(text, name)
      uses.delete(text)
      return name
    },
    /** Makes all statements be prepared again, under new names. */
    reset() {
      names = new Map()
      generation += 1
    },
  }
}

type Query = (statement: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>

/** Makes the connections of a pool prepare frequent statements. */
export function prepareStatements(pool: pg.Pool): void {
  const names = createStatementNames()
  pool.on('connect', (client) => {
    const query: Query = client.query.bind(client)
    const queryPrepared = async (name: string, text: string, values: unknown[]) => {
      try {
        return await query({ name, text, values })
      } catch (error) {
        if (!OUTDATED.test(String(error))) throw error
        names.reset()
        // Fails inside a transaction, which is aborted by then; retryIfSchemaChanged repeats it.
        return query(text, values).catch(() => {
          throw error
        })
      }
    }
    client.query = ((statement: string | pg.QueryConfig, values?: unknown[]) => {
      const name = typeof statement === 'string' && values?.length ? names.find(statement) : undefined
      return name === undefined
        ? query(statement, values)
        : queryPrepared(name, statement as string, values as unknown[])
    }) as typeof client.query
  })
}

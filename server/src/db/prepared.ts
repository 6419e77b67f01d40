import { hash } from 'node:crypto'
import type pg from 'pg'

/**
 * Statements that come again and again are prepared: the database then reads and plans each once for a connection,
 * which takes it longer than to carry them out. Which these are shows itself: whatever was asked so often.
 */
const OFTEN = 10
/** A prepared statement takes room in every connection, and so does counting here. */
const MOST_PREPARED = 400
const MOST_COUNTED = 2_000
const LONGEST = 10_000

/** PostgreSQL's word for a prepared statement whose columns are not what they were: the schema has changed. */
const OUTDATED = /cached plan must not change result type/

/**
 * Does a transaction, and does it again from the start when the schema changed under it, as it does while nodes are
 * upgraded one after the other. By then everything is prepared anew.
 */
export async function againIfOutdated<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!OUTDATED.test(String(error))) throw error
    return transaction()
  }
}

/**
 * For a statement whose best plan depends on what it is asked, such as a search for words of which some are rare and
 * some are not. It is written into its text, and then planned each time.
 */
export const PLANNED_EACH_TIME = '/* planned each time */'

/** The names of the statements of one pool. */
function createNames() {
  let uses = new Map<string, number>()
  let names = new Map<string, string>()
  let generation = 0
  return {
    of(text: string): string | undefined {
      const known = names.get(text)
      if (known !== undefined || names.size >= MOST_PREPARED || text.length > LONGEST) return known
      const count = (uses.get(text) ?? 0) + 1
      if (count === 1 && uses.size >= MOST_COUNTED) uses = new Map()
      uses.set(text, count)
      if (count < OFTEN || text.includes(PLANNED_EACH_TIME)) return undefined
      const name = `latchkey_${generation}_${hash('sha256', text, 'base64url').slice(0, 22)}`
      names.set(text, name)
      uses.delete(text)
      return name
    },
    /** Has all of them prepared anew, under other names. */
    renew() {
      names = new Map()
      generation += 1
    },
  }
}

type Query = (statement: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>

/** Has the connections of a pool prepare what they are asked often. */
export function prepareStatements(pool: pg.Pool): void {
  const names = createNames()
  pool.on('connect', (client) => {
    const query: Query = client.query.bind(client)
    const prepared = async (name: string, text: string, values: unknown[]) => {
      try {
        return await query({ name, text, values })
      } catch (error) {
        if (!OUTDATED.test(String(error))) throw error
        names.renew()
        // Within a transaction it is too late: that is done again as a whole.
        return query(text, values).catch(() => {
          throw error
        })
      }
    }
    client.query = ((statement: string | pg.QueryConfig, values?: unknown[]) => {
      const name = typeof statement === 'string' && values?.length ? names.of(statement) : undefined
      return name === undefined
        ? query(statement, values)
        : prepared(name, statement as string, values as unknown[])
    }) as typeof client.query
  })
}

import pg from 'pg'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'

/** Something that is held by a transaction of which the service knows nothing. */
export interface Hold {
  statement: string
  values?: unknown[]
}

/** Returns once at least so many wait for a lock in this database. */
export type WaitFor = (many: number) => Promise<void>

/**
 * Does work while a lock is held, and then lets go. The connection is not one of the service's: that all of those are
 * taken may be what is to be seen.
 */
export async function whileHeld<T>(
  { connection }: TestService,
  { statement, values = [] }: Hold,
  work: (waitFor: WaitFor) => Promise<T>,
): Promise<T> {
  const [holder, onlooker] = [new pg.Client(connection.direct), new pg.Client(connection.direct)]
  await Promise.all([holder.connect(), onlooker.connect()])
  try {
    await holder.query('begin')
    const { command, rowCount } = await holder.query(statement, values)
    if (command === 'SELECT' && rowCount === 0) throw new Error('There is nothing to hold.')
    return await work((many) =>
      eventually(async () => ((await countWaiting(onlooker)) >= many ? true : undefined)).then(() => {}),
    )
  } finally {
    await holder.query('rollback')
    await Promise.all([holder.end(), onlooker.end()])
  }
}

/** Lets two meet: the second starts once the first is held up, and both go on once the second is held up as well. */
export async function collide<A, B>(
  service: TestService,
  hold: Hold,
  [first, second]: [() => Promise<A>, () => Promise<B>],
): Promise<[A, B]> {
  const met = await whileHeld(service, hold, async (waitFor) => {
    const one = first()
    await waitFor(1)
    const other = second()
    await waitFor(2)
    return { one, other }
  })
  return Promise.all([met.one, met.other])
}

async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}

/**
 * How often two have waited for each other in a circle, so that one had to give way. Whoever gives way has waited for a
 * second, and so tells before it goes on.
 */
export async function deadlocksIn({ connection }: TestService): Promise<number> {
  const client = new pg.Client(connection.direct)
  await client.connect()
  const { rows } = await client.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return rows[0]?.deadlocks ?? 0
}

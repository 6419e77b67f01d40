import pg from 'pg'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'

/** A statement that takes a lock, in a transaction outside of the service. */
export interface LockStatement {
  statement: string
  values?: unknown[]
}

/** Resolves when at least `count` sessions wait for a lock in this database. */
export type WaitFor = (count: number) => Promise<void>

/** Runs work while a lock is held. Uses its own connections, because the work may use up the pool of the service. */
export async function whileLocked<T>(
  { connection }: TestService,
  { statement, values = [] }: LockStatement,
  work: (waitFor: WaitFor) => Promise<T>,
): Promise<T> {
  const [holder, observer] = [new pg.Client(connection.direct), new pg.Client(connection.direct)]
  await Promise.all([holder.connect(), observer.connect()])
  try {
    await holder.query('begin')
    const { command, rowCount } = await holder.query(statement, values)
    if (command === 'SELECT' && rowCount === 0) throw new Error('There is nothing to hold.')
    return await work((count) =>
      eventually(async () => ((await countWaiting(observer)) >= count ? true : undefined)).then(() => {}),
    )
  } finally {
    await holder.query('rollback')
    await Promise.all([holder.end(), observer.end()])
  }
}

/** Makes two operations collide: the second starts when the first waits for the lock, and then both continue. */
export async function collide<A, B>(
  service: TestService,
  hold: LockStatement,
  [first, second]: [() => Promise<A>, () => Promise<B>],
): Promise<[A, B]> {
  const started = await whileLocked(service, hold, async (waitFor) => {
    const firstResult = first()
    await waitFor(1)
    const secondResult = second()
    await waitFor(2)
    return { firstResult, secondResult }
  })
  return Promise.all([started.firstResult, started.secondResult])
}

async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}

/** The number of deadlocks in the database. The statistics are current, because a victim waits a second before. */
export async function countDeadlocks({ connection }: TestService): Promise<number> {
  const client = new pg.Client(connection.direct)
  await client.connect()
  const { rows } = await client.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return rows[0]?.deadlocks ?? 0
}

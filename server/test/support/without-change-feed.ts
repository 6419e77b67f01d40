import pg from 'pg'
import { expect } from 'vitest'
import type { TestService } from './service.ts'

/** Keeps terminating the change feed connections of all nodes until the work is done. */
export async function withoutChangeFeed<T>(nodes: TestService[], work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(nodes[0]?.connection.direct)
  await client.connect()
  const terminate = () =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and (query in ('listen latchkey_changes', 'select 1') or query like '%pg_notify%')`,
    )
  let isWorking = true
  const terminating = (async () => {
    while (isWorking) {
      await terminate()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  try {
    await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
    return await work()
  } finally {
    isWorking = false
    await terminating
    await client.end()
    await expect.poll(() => nodes.every(({ ctx }) => ctx.changes.isCurrent())).toBe(true)
  }
}

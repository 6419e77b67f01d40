import pg from 'pg'
import { expect } from 'vitest'
import type { TestService } from './service.ts'

/**
 * Ends the connections by which the nodes of a database hear of changes, over and over, until the work is done. They hear
 * again afterwards.
 */
export async function whileDeaf<T>(nodes: TestService[], work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(nodes[0]?.connection.direct)
  await client.connect()
  const cut = () =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and (query in ('listen latchkey_changes', 'select 1') or query like '%pg_notify%')`,
    )
  let working = true
  const cutting = (async () => {
    while (working) {
      await cut()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  try {
    await expect.poll(() => nodes.some(({ ctx }) => ctx.changes.isCurrent())).toBe(false)
    return await work()
  } finally {
    working = false
    await cutting
    await client.end()
    await expect.poll(() => nodes.every(({ ctx }) => ctx.changes.isCurrent())).toBe(true)
  }
}

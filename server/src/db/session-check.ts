import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { OperatorError } from '../errors.ts'
import { openClient } from './connections.ts'

const TIMEOUT_MS = 3_000

/**
 * Checks that LISTEN works. A pooler in transaction mode accepts the command but delivers no notifications, so the
 * service must not start.
 */
export async function checkSessions(settings: pg.ClientConfig, listener: pg.Client, variable: string): Promise<void> {
  const channel = `latchkey_check_${randomBytes(6).toString('hex')}`
  const received = new Promise<boolean>((resolve) => {
    listener.on('notification', (message) => message.channel === channel && resolve(true))
    setTimeout(resolve, TIMEOUT_MS, false).unref()
  })
  await listener.query(`listen ${channel}`)
  const sender = openClient(settings)
  await sender.connect()
  await sender.query(`notify ${channel}`).finally(() => sender.end())
  if (await received) return
  throw new OperatorError(
    `${variable} leads through a pooler in transaction mode, where LISTEN does not work. ` +
      'Keep DATABASE_URL as it is and set DATABASE_DIRECT_URL to the same database without the pooler.',
  )
}

import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { OperatorError } from '../errors.ts'
import { openClient } from './connections.ts'

const PATIENCE_MS = 3_000

/**
 * Latchkey hears of changes through LISTEN, which needs a session of its own. A pooler in transaction mode takes
 * the command and then delivers nothing; it is better to say so at the start than to go on deaf.
 */
export async function checkSessions(
  settings: pg.ClientConfig,
  listener: pg.Client,
  variable: string,
): Promise<void> {
  const channel = `latchkey_check_${randomBytes(6).toString('hex')}`
  const heard = new Promise<boolean>((resolve) => {
    listener.on('notification', (message) => message.channel === channel && resolve(true))
    setTimeout(resolve, PATIENCE_MS, false).unref()
  })
  await listener.query(`listen ${channel}`)
  const speaker = openClient(settings)
  await speaker.connect()
  await speaker.query(`notify ${channel}`).finally(() => speaker.end())
  if (await heard) return
  throw new OperatorError(
    `${variable} leads through a pooler in transaction mode, where LISTEN does not work. ` +
      'Keep DATABASE_URL as it is and set DATABASE_DIRECT_URL to the same database without the pooler.',
  )
}

import { type Client, findClient } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { requestLog } from '../../http/server/request-log.ts'
import { findBrowserSession } from '../../sessions/browser-session.ts'
import { type GuessLimit, limitGuesses } from '../../users/guess-limit.ts'
import { USER_CODE_PURPOSE } from './authorize-device.ts'
import { findDeviceByUserCode, type PendingDevice } from './store.ts'
import { parseUserCode } from './user-code.ts'

const WINDOW_SECONDS = 15 * 60
/** An office or a household may share a network. */
const PER_NETWORK = { name: 'user-code-address', max: 60, seconds: WINDOW_SECONDS }
const PER_BROWSER = { name: 'user-code', max: 10, seconds: WINDOW_SECONDS }
/** In all sessions of the person. */
const PER_PERSON = { name: 'user-code-person', max: 10, seconds: WINDOW_SECONDS }
/**
 * Of people who are not signed in. Keeps the chance to hit one of some thousand waiting devices small, however many
 * networks guess. Whoever reaches it must sign in first.
 */
const IN_ALL = { name: 'user-code-all', max: 3_000, seconds: WINDOW_SECONDS }

/**
 * Finds the waiting device with this user code. The error is the same for a code that is wrong, used up or too old. A
 * right code does not reset the counters, because anybody can get one of their own. `browser` is the fingerprint of the
 * browser id.
 */
export async function findDevice(
  ctx: Ctx,
  exchange: Exchange,
  { text, browser }: { text: string; browser: string },
): Promise<PendingDevice> {
  const code = parseUserCode(text)
  // No device has such a code, so this is no guess.
  if (code === undefined) throw new AppError('INVALID_CODE')
  return limitGuesses(ctx.db, await guessLimits(ctx, exchange, browser), {
    attempt: () => findDeviceByUserCode(ctx.db, { macs: ctx.keys.macs(USER_CODE_PURPOSE, code), now: ctx.now() }),
    toError: () => new AppError('INVALID_CODE'),
    async recordRefusal(refused) {
      requestLog(exchange.request).info({ reason: refused }, 'user code refused')
    },
  })
}

/** The client of the device, while it may still use this grant. */
export async function findUsableClient(ctx: Ctx, { client_identifier }: PendingDevice): Promise<Client | undefined> {
  const client = await findClient(ctx, client_identifier)
  return client && !client.disabled && client.deviceFlow ? client : undefined
}

async function guessLimits(ctx: Ctx, exchange: Exchange, browser: string): Promise<GuessLimit[]> {
  const session = await findBrowserSession(ctx, exchange)
  return [
    { limit: PER_NETWORK, key: clientNetwork(exchange.request) },
    { limit: PER_BROWSER, key: browser },
    session ? { limit: PER_PERSON, key: session.userId } : { limit: IN_ALL, key: 'all' },
  ]
}

import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { findBrowserId, findOrCreateBrowserId, setBrowserId } from '../http/request/browser-cookie.ts'
import { clientAddress, clientNetwork, clientUserAgent } from '../http/request/client-address.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { hashSecret } from '../lib/secrets.ts'
import { quoteName } from '../mail/quote-name.ts'
import { type NoticeRecipient, queueNotice } from '../users/notices.ts'
import { findKnownDevice } from './devices-store.ts'

/** A device is identified by the browser cookie and by its user agent and network, in case cookies are not kept. */
function deviceHashes(browser: string | undefined, { request }: Exchange): Buffer[] {
  const networkHash = hashSecret(`place:${clientNetwork(request)}:${request.headers['user-agent'] ?? ''}`)
  return browser === undefined ? [networkHash] : [hashSecret(`browser:${browser}`), networkHash]
}

/** Whether the user with this address has signed in from this device before. */
export const isKnownDevice = (ctx: Ctx, exchange: Exchange, email: string): Promise<boolean> =>
  findKnownDevice(ctx.db, email, deviceHashes(findBrowserId(ctx, exchange.request), exchange))

/** The hashes that identify a device. */
export interface DeviceMarks {
  hashes: Buffer[]
  /** Sets the browser cookie that one of the hashes is made of. */
  setCookie(): void
}

export function identifyDevice(ctx: Ctx, exchange: Exchange): DeviceMarks {
  const name = findOrCreateBrowserId(ctx, exchange.request)
  return { hashes: deviceHashes(name, exchange), setCookie: () => setBrowserId(ctx, exchange.reply, name) }
}

const MAX_USER_AGENT_LENGTH = 200

/** Mails the user about a sign-in from a new device. */
export async function notifyNewDevice(
  ctx: Ctx,
  tx: Tx,
  { exchange: { request }, user }: { exchange: Exchange; user: NoticeRecipient },
): Promise<void> {
  // An unverified address may belong to somebody else.
  if (!user.email_verified) return
  const program = clientUserAgent(request)
  const facts = [
    `Device: ${program === '' ? 'unknown' : quoteName(program, MAX_USER_AGENT_LENGTH)}`,
    `Address: ${clientAddress(request)}`,
    `Time: ${ctx.now().toUTCString()}`,
  ]
  await queueNotice(ctx, tx, { to: user, kind: 'new-device', facts })
}

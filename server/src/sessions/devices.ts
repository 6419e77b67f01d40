import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { findBrowserId, findOrCreateBrowserId, setBrowserId } from '../http/request/browser-cookie.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { hashSecret } from '../lib/secrets.ts'
import { createDeviceFacts, type RequestOrigin } from '../mail/device-facts.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import { type NoticeRecipient, queueNotice } from '../users/notices.ts'
import { findKnownDevice } from './devices-store.ts'
import type { LoginTransaction } from './login-transaction.ts'

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

interface NewDevice {
  device: RequestOrigin
  user: NoticeRecipient
  login: Pick<LoginTransaction, 'clientId' | 'tenant'> | undefined
}

/** Mails the user about a sign-in from a new device. */
export async function notifyNewDevice(ctx: Ctx, tx: Tx, { device, user, login }: NewDevice): Promise<void> {
  // An unverified address may belong to somebody else.
  if (!user.email_verified || (await isOverMailQuota(ctx, 'new-device', user.email))) return
  const facts = createDeviceFacts(ctx, device)
  const origin = { clientId: login?.clientId, tenant: login?.tenant }
  await queueNotice(ctx, tx, { to: user, kind: 'new-device', facts, origin, path: '/account/sessions' })
}

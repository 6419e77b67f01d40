import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { chooseName, findBrowser, giveName } from '../http/browser-cookie.ts'
import { clientAddress, clientNetwork, clientProgram } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { hashSecret } from '../lib/secrets.ts'
import { quoted } from '../mail/quoted.ts'
import { type Addressee, notify } from '../users/notices.ts'
import { findKnownDevice } from './devices/store.ts'

/**
 * A device is known again by the name its browser bears or, where cookies are not kept, by the program and the part
 * of the network.
 */
function marksOf(browser: string | undefined, { request }: Exchange): Buffer[] {
  const place = hashSecret(`place:${clientNetwork(request)}:${request.headers['user-agent'] ?? ''}`)
  return browser === undefined ? [place] : [hashSecret(`browser:${browser}`), place]
}

/** Whether the person of this address has signed in from this device before. */
export const isKnownDevice = (ctx: Ctx, exchange: Exchange, email: string): Promise<boolean> =>
  findKnownDevice(ctx.db, email, marksOf(findBrowser(ctx, exchange.request), exchange))

/** By what a device will be known again. */
export interface Marks {
  hashes: Buffer[]
  /** Gives its browser the name that is one of them. */
  give(): void
}

export function markDevice(ctx: Ctx, exchange: Exchange): Marks {
  const name = chooseName(ctx, exchange.request)
  return { hashes: marksOf(name, exchange), give: () => giveName(ctx, exchange.reply, name) }
}

/** What browsers call themselves is long. */
const LONGEST_PROGRAM = 200

/** Whoever signs in from a device for the first time is told; the first of all tells nobody. */
export async function tellOfDevice(
  ctx: Ctx,
  tx: Tx,
  { exchange: { request }, user }: { exchange: Exchange; user: Addressee },
): Promise<void> {
  // An address nobody has confirmed may be a stranger's.
  if (!user.email_verified) return
  const program = clientProgram(request)
  const facts = [
    `Device: ${program === '' ? 'unknown' : quoted(program, LONGEST_PROGRAM)}`,
    `Address: ${clientAddress(request)}`,
    `Time: ${ctx.now().toUTCString()}`,
  ]
  await notify(ctx, tx, { to: user, kind: 'new-device', facts })
}

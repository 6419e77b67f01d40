import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** A turn of the event loop that is shorter left hardly time for another connection to arrive. */
const SHORT_TURN_MS = 1
const MOST_TURNS = 100

/**
 * Closes the port and leaves open connections alone: a proxy may be about to send a request on one that seems idle, and
 * would not send it again elsewhere. Settles when the last of them is closed.
 */
export async function stopListening(server: Server): Promise<void> {
  await untilAllAccepted()
  // That of HTTP servers closes idle connections as well.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}

/**
 * Waits for a moment at which no connection waits to be accepted, as far as can be told: those that do are reset when
 * the port closes. They are accepted at the beginning of each turn, and it is over at once if nothing else is to do.
 */
async function untilAllAccepted(): Promise<void> {
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const before = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - before < SHORT_TURN_MS) return
  }
}

import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** An event loop iteration shorter than this leaves hardly time for another connection to arrive. */
const SHORT_ITERATION_MS = 1
const MAX_ITERATIONS = 100

/**
 * Closes the port and keeps open connections: a proxy may be sending a request on an idle one and would not retry it
 * elsewhere. Resolves when the last connection is closed.
 */
export async function stopListening(server: Server): Promise<void> {
  await waitUntilAllAccepted()
  // http.Server.close would also close idle connections.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}

/**
 * Waits until probably no connection is left in the accept queue, because those would be reset when the port closes. Node
 * accepts connections at the beginning of each event loop iteration; a short iteration had nothing else to do.
 */
async function waitUntilAllAccepted(): Promise<void> {
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const before = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - before < SHORT_ITERATION_MS) return
  }
}

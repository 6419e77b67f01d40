/**
 * Whether the service can be reached, by the outcome of the latest request. The browser only knows whether there is any
 * network, which says nothing about the way to the service.
 */
export interface Connection {
  isLost: boolean
  /** The time of the last reply. */
  lastReplyAt: Date
}

let connection: Connection = { isLost: false, lastReplyAt: new Date() }
const listeners = new Set<() => void>()

function update(next: Connection): void {
  const isChanged = next.isLost !== connection.isLost
  connection = next
  if (isChanged) for (const listener of listeners) listener()
}

/** Records how a request ended. fetch throws a TypeError if there was no reply. */
export async function watchConnection<T>(request: () => Promise<T>): Promise<T> {
  try {
    const reply = await request()
    update({ isLost: false, lastReplyAt: new Date() })
    return reply
  } catch (error) {
    if (error instanceof TypeError) update({ ...connection, isLost: true })
    else update({ isLost: false, lastReplyAt: new Date() })
    throw error
  }
}

export const getConnection = (): Connection => connection

/** Calls `listener` when the connection is lost or back. Returns a function that ends this. */
export function subscribeToConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

window.addEventListener('offline', () => update({ ...connection, isLost: true }))

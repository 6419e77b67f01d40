/** The other process: the primary or a worker. */
interface Peer {
  send?(message: object, done: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** Messages and requests between the primary and a worker. */
export interface IpcChannel {
  /** Resolves when the message has been handed to the operating system. Does not fail if the peer is gone. */
  send(type: string, text?: string): Promise<void>
  onMessage(type: string, listener: (text: string) => void): void
  /** Returns the peer's response, or throws after the timeout. */
  request(type: string, timeoutMs: number): Promise<string>
  onRequest(type: string, handle: () => Promise<string>): void
}

interface Message {
  type: string
  /** Set on a request and its response. */
  id?: number | undefined
  text?: string | undefined
}

/** The message type of responses. */
const RESPONSE = 'response'

export function openIpcChannel(peer: Peer): IpcChannel {
  const listeners = new Map<string, (message: Message) => void>()
  const pendingRequests = new Map<number, (text: string | undefined) => void>()
  let lastId = 0
  // Other modules may use the same channel.
  peer.on('message', (message) => isOurs(message) && listeners.get(message.latchkey.type)?.(message.latchkey))
  const send = (message: Message) =>
    new Promise<void>((resolve) => {
      if (peer.send) peer.send({ latchkey: message }, () => resolve())
      else resolve()
    })
  listeners.set(RESPONSE, ({ id = 0, text }) => pendingRequests.get(id)?.(text))
  return {
    send: (type, text) => send({ type, text }),
    onMessage: (type, listener) => void listeners.set(type, ({ text = '' }) => listener(text)),
    async request(type, timeoutMs) {
      const id = ++lastId
      const response = new Promise<string | undefined>((resolve) => pendingRequests.set(id, resolve))
      const timer = setTimeout(() => pendingRequests.get(id)?.(undefined), timeoutMs)
      await send({ type, id })
      const text = await response
      clearTimeout(timer)
      pendingRequests.delete(id)
      if (text === undefined) {
        throw new Error(`another process of this service did not answer the request for ${type}`)
      }
      return text
    },
    onRequest(type, handle) {
      listeners.set(type, async ({ id }) => {
        // A response without text makes the request fail without waiting for the timeout.
        const text = await handle().catch(() => undefined)
        await send({ type: RESPONSE, id, text })
      })
    },
  }
}

const isOurs = (message: unknown): message is { latchkey: Message } =>
  typeof message === 'object' && message !== null && 'latchkey' in message

/** Another process of this service: the first one for its workers, a worker for the first. */
interface Peer {
  send?(message: object, done: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** What the processes of one service say to each other. */
export interface Conversation {
  /** Says something, and waits until it is on its way. Whoever is gone does not hear it. */
  tell(what: string, text?: string): Promise<void>
  hear(what: string, listener: (text: string) => void): void
  /** The other's answer; fails when there is none in time. */
  ask(what: string, patienceMs: number): Promise<string>
  /** How a question is answered here. */
  answer(what: string, work: () => Promise<string>): void
}

interface Message {
  what: string
  /** Of a question and its answer. */
  id?: number | undefined
  text?: string | undefined
}

/** Not a question of anybody's. */
const ANSWER = 'answer'

export function converse(peer: Peer): Conversation {
  const listeners = new Map<string, (message: Message) => void>()
  const awaited = new Map<number, (text: string | undefined) => void>()
  let asked = 0
  // Other modules may use the same channel.
  peer.on('message', (message) => isOurs(message) && listeners.get(message.latchkey.what)?.(message.latchkey))
  const send = (message: Message) =>
    new Promise<void>((resolve) => {
      if (peer.send) peer.send({ latchkey: message }, () => resolve())
      else resolve()
    })
  listeners.set(ANSWER, ({ id = 0, text }) => awaited.get(id)?.(text))
  return {
    tell: (what, text) => send({ what, text }),
    hear: (what, listener) => void listeners.set(what, ({ text = '' }) => listener(text)),
    async ask(what, patienceMs) {
      const id = ++asked
      const heard = new Promise<string | undefined>((resolve) => awaited.set(id, resolve))
      const timer = setTimeout(() => awaited.get(id)?.(undefined), patienceMs)
      await send({ what, id })
      const text = await heard
      clearTimeout(timer)
      awaited.delete(id)
      if (text === undefined) throw new Error(`another process of this service was asked for ${what} in vain`)
      return text
    },
    answer(what, work) {
      listeners.set(what, async ({ id }) => {
        // Without a text the other hears at once that there is no answer.
        const text = await work().catch(() => undefined)
        await send({ what: ANSWER, id, text })
      })
    },
  }
}

const isOurs = (message: unknown): message is { latchkey: Message } =>
  typeof message === 'object' && message !== null && 'latchkey' in message

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { preParsingHookHandler } from 'fastify'

/** Bodies that were read before the framework came to them. */

declare module 'node:http' {
  interface IncomingMessage {
    /** The body as it came, byte for character, once all of it is there. */
    collected?: string
  }
}

export function collect(request: IncomingMessage, whenThere: (body: string) => void): void {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('latin1')
  })
  request.once('end', () => {
    request.collected = body
    whenThere(body)
  })
}

/** Has the framework read it as if it had come just now. */
export const showCollected: preParsingHookHandler = ({ raw }, _reply, payload, done) => {
  const { collected } = raw
  done(null, collected === undefined ? payload : Readable.from([Buffer.from(collected, 'latin1')]))
}

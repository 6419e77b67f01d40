import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests one connection may have under way. Browsers have one; a load generator that pipelines, some ten. */
const MOST_UNANSWERED = 64

/** A client that sends without reading could pile up work at no cost to itself; it is cut off. */
export function limitPipelining(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, { unanswered: number }>()
  app.addHook('onRequest', ({ socket }, _reply, done) => {
    const line = lines.get(socket) ?? { unanswered: 0 }
    if (line.unanswered === 0) lines.set(socket, line)
    line.unanswered += 1
    if (line.unanswered > MOST_UNANSWERED) socket.destroy()
    // What was parsed of a connection already cut off is dropped here, without an answer.
    else done()
  })
  app.addHook('onResponse', ({ socket }, _reply, done) => {
    const line = lines.get(socket)
    if (line) line.unanswered -= 1
    done()
  })
}

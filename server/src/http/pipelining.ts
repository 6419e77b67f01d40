import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests one connection may have under way. Browsers have one; a load generator that pipelines, some ten. */
const MOST_UNANSWERED = 64

/** A client that sends without reading could pile up work at no cost to itself; it is cut off. */
export function limitPipelining(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ socket }, _reply, done) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    if (count > MOST_UNANSWERED) socket.destroy()
    // What was parsed of a connection already cut off is dropped here, without an answer.
    else done()
  })
  app.addHook('onResponse', ({ socket }, _reply, done) => {
    unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1)
    done()
  })
}

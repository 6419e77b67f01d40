import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Browsers have one pending request per connection; load generators that pipeline have about ten. */
const MAX_PENDING_REQUESTS = 64

/** Closes connections whose client pipelines requests without reading the responses. */
export function limitPipelining(app: FastifyInstance): void {
  const connections = new WeakMap<Socket, { pending: number }>()
  app.addHook('onRequest', ({ socket }, _reply, done) => {
    const connection = connections.get(socket) ?? { pending: 0 }
    if (connection.pending === 0) connections.set(socket, connection)
    connection.pending += 1
    // Further requests that were parsed from a destroyed connection end here without a response.
    if (connection.pending > MAX_PENDING_REQUESTS) socket.destroy()
    else done()
  })
  app.addHook('onResponse', ({ socket }, _reply, done) => {
    const connection = connections.get(socket)
    if (connection) connection.pending -= 1
    done()
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'

/** A request with its reply, for functions that read the request and set response headers. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

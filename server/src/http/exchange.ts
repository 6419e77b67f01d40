import type { FastifyReply, FastifyRequest } from 'fastify'

/** Request and answer together, for what reads the one and writes headers of the other. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

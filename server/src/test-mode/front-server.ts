import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { handleClientError } from '../http/errors/client-error.ts'
import { toErrorBody } from '../http/errors/errors.ts'
import { newRequestId } from '../lib/ids.ts'
import { explainListenError } from '../main.ts'

export interface FrontServer {
  port: number
  /** Waits until all requests except resets are answered, but not longer than the given time. */
  waitUntilIdle(ms: number): Promise<void>
  close(): Promise<void>
}

/** Longer than clients keep an idle connection, so that they do not use one that is about to be closed. */
const KEEP_ALIVE_MS = 75_000
const POLL_MS = 2

/**
 * The HTTP server of test mode. It passes every request to the current service. A reset replaces the service, but not
 * this server: clients keep their connections, and requests that arrive during the reset wait for the new service.
 */
export async function openFrontServer(
  { host, port }: { host: string; port: number },
  findApp: () => Promise<FastifyInstance>,
): Promise<FrontServer> {
  const running = new Set<ServerResponse>()
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    findApp().then(
      (app) => {
        if (!isReset(request.url)) {
          running.add(response)
          response.once('close', () => running.delete(response))
        }
        app.routing(request, response)
      },
      () => sendUnavailable(response),
    )
  })
  server.on('clientError', handleClientError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, { host, port })))
    server.listen({ host, port }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async waitUntilIdle(ms) {
      const deadline = performance.now() + ms
      while (running.size > 0 && performance.now() < deadline) await sleep(POLL_MS)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A reset waits for the other requests. */
const isReset = (url = '') => url.startsWith('/test/reset')

/** The service could not be started again after a reset. */
function sendUnavailable(response: ServerResponse): void {
  const error = new AppError('UNAVAILABLE', { message: 'The reset has failed; the log says why. Try it again.' })
  response
    .writeHead(error.status, { 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(toErrorBody(error, newRequestId())))
}

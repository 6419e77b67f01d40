import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a receiver answers instead of processing a request. */
export interface Behavior {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Reads the request and never answers. */
  hangs?: boolean
  /** Processes the request, and closes the connection without an answer. */
  losesAnswer?: boolean
  /** Processes the request, and never answers. */
  isSilent?: boolean
}

export interface HttpReceiver {
  url: string
  port: number
  /** The headers of all requests. */
  requests: IncomingMessage['headers'][]
  setBehavior(behavior: Behavior): void
  openRequests(): number
  close(): Promise<void>
}

export type Answer = { status: number; body: string; type?: string }

/** An HTTP server that passes each request to `handle`, unless its behavior says otherwise. */
export async function startHttpReceiver(
  handle: (request: IncomingMessage, body: Buffer) => Promise<Answer> | Answer,
  port = 0,
): Promise<HttpReceiver> {
  let behavior: Behavior = {}
  let open = 0
  const requests: IncomingMessage['headers'][] = []
  const answer = async (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const { hangs, status, headers = {}, losesAnswer, isSilent } = behavior
    if (hangs) return
    if (status !== undefined) return response.writeHead(status, headers).end(behavior.body)
    const result = await handle(request, body)
    if (isSilent) return
    if (losesAnswer) return request.socket.destroy()
    response.writeHead(result.status, { 'content-type': result.type ?? 'application/json' }).end(result.body)
  }
  const server = createServer((request, response) => {
    open += 1
    requests.push(request.headers)
    response.once('close', () => {
      open -= 1
    })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void answer(request, response, Buffer.concat(chunks)))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${actualPort}`,
    port: actualPort,
    requests,
    openRequests: () => open,
    setBehavior(next) {
      behavior = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

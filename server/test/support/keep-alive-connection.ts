import { Agent, type OutgoingHttpHeaders, request } from 'node:http'

export interface Reply {
  status: number
  body: string
  /** The process that responded, from the prefix of the request id. */
  node: string
}

/** A keep-alive connection, so that all its requests reach the same process. */
export interface Connection {
  send(path: string, form?: Record<string, string>, extraHeaders?: OutgoingHttpHeaders): Promise<Reply>
  close(): void
}

export function openConnection(port: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    close: () => agent.destroy(),
    send: (path, form, extraHeaders) =>
      new Promise((resolve, reject) => {
        const body = form && new URLSearchParams(form).toString()
        const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
        const headers = { ...type, ...extraHeaders }
        const method = body === undefined ? 'GET' : 'POST'
        const call = request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () => {
            const id = String(response.headers['x-request-id'])
            const node = id.slice(0, id.lastIndexOf('-'))
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), node })
          })
        })
        call.once('error', reject)
        call.end(body)
      }),
  }
}

/** Opens connections to two different processes that share a port. */
export async function openTwoConnections(port: string): Promise<[Connection, Connection]> {
  const first = openConnection(port)
  const { node } = await first.send('/health/live')
  for (let i = 0; i < 20; i++) {
    const other = openConnection(port)
    if ((await other.send('/health/live')).node !== node) return [first, other]
    other.close()
  }
  throw new Error('only one process answers')
}

import { Agent, type OutgoingHttpHeaders, request } from 'node:http'

/** What a connection that stays open brought back. */
export interface Answer {
  status: number
  body: string
  /** The process that answered: request ids begin with a name of its own. */
  node: string
}

/** A connection of its own: whatever is sent over it reaches the same process. */
export interface Connection {
  send(path: string, form?: Record<string, string>, more?: OutgoingHttpHeaders): Promise<Answer>
  close(): void
}

export function openConnection(port: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    close: () => agent.destroy(),
    send: (path, form, more) =>
      new Promise((resolve, reject) => {
        const body = form && new URLSearchParams(form).toString()
        const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
        const headers = { ...type, ...more }
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

/** Connections to two different processes behind one port. */
export async function openTwo(port: string): Promise<[Connection, Connection]> {
  const first = openConnection(port)
  const { node } = await first.send('/health/live')
  for (let i = 0; i < 20; i++) {
    const other = openConnection(port)
    if ((await other.send('/health/live')).node !== node) return [first, other]
    other.close()
  }
  throw new Error('only one process answers')
}

import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

/** Receives and counts the mails or webhooks of the soak. */
export interface Sink {
  port: number
  count(): number
  close(): void
}

async function listen(server: Server | HttpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}

/** A webhook receiver that accepts every event. */
export async function startReceiver(): Promise<Sink> {
  let count = 0
  const server = createHttpServer((request, response) => {
    request.resume()
    request.once('end', () => {
      count++
      response.writeHead(204).end()
    })
  })
  return {
    port: await listen(server),
    count: () => count,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A mail server (RFC 5321) that accepts every mail. */
export async function startMailServer(): Promise<Sink> {
  let count = 0
  const server = createServer((socket) => {
    let buffer = ''
    let isInData = false
    const reply = (line: string) => void socket.write(`${line}\r\n`)
    const handleLine = (line: string) => {
      if (isInData) {
        if (line !== '.') return
        isInData = false
        count++
        return reply('250 accepted')
      }
      const command = line.slice(0, 4).toUpperCase()
      if (command === 'QUIT') return void socket.end('221 bye\r\n')
      isInData = command === 'DATA'
      reply(isInData ? '354 go on' : '250 ok')
    }
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (text: string) => {
      const lines = (buffer + text).split('\r\n')
      buffer = lines.pop() ?? ''
      for (const line of lines) handleLine(line)
    })
    reply('220 soak')
  })
  return { port: await listen(server), count: () => count, close: () => void server.close() }
}

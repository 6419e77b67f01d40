import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface Mailserver {
  url: string
  port: number
  /** Each message as it arrived, headers and all. */
  received: string[]
  close(): Promise<void>
}

interface Options {
  port?: number
  /** Answers the recipient with this code. */
  refuseWith?: number
  /** Takes what a message says and never answers, as long as this is so. */
  isSilent?: () => boolean
}

/** A real mail server that keeps what it gets. */
export async function startMailserver({
  port = 0,
  refuseWith,
  isSilent = () => false,
}: Options = {}): Promise<Mailserver> {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, done) {
      done(refuseWith ? Object.assign(new Error('no such mailbox'), { responseCode: refuseWith }) : null)
    },
    onData(stream, _session, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => {
        text += chunk
      })
      stream.on('end', () => {
        if (isSilent()) return
        received.push(text)
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

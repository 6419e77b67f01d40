import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface Mailserver {
  url: string
  port: number
  /** The raw messages, including headers. */
  received: string[]
  close(): Promise<void>
}

interface MailserverOptions {
  port?: number
  /** Rejects every recipient with this code. */
  refuseWith?: number
  /** While true, accepts the content of a message and never responds. */
  isSilent?: () => boolean
}

/** A real SMTP server that collects the messages. */
export async function startMailserver({
  port = 0,
  refuseWith,
  isSilent = () => false,
}: MailserverOptions = {}): Promise<Mailserver> {
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

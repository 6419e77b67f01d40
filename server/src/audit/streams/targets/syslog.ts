import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { SyslogSettings } from '../../../config/audit-streams.ts'
import { beginSlowWork } from '../../../lib/concurrency/slow-work.ts'
import type { StreamEvent } from '../event.ts'
import { lookupInTurn } from './lookup.ts'
import type { Instance, Target } from './target.ts'
import { SEND_TIMEOUT_MS, toConnectionError } from './target-error.ts'

const LIMITS = { maxEvents: 1_000, maxBytes: 1024 ** 2 }
const DEFAULT_PORT = 6514
/** With TLS 1.3 a server rejects a client certificate only after the handshake. */
const REJECTION_MS = 500
/** A proxy without a working receiver behind it accepts a connection and closes it soon. This is seen before the end. */
const SETTLE_MS = 200

/**
 * Sends messages of RFC 5424 over TLS (RFC 5425). Syslog has no acknowledgment. The closest to it is the end of the
 * connection: after each batch this side closes it, and the batch counts as confirmed when the receiver has closed its
 * side without an error. A receiver does that after it has read everything (RFC 5425 §4.4).
 */
export function createSyslogTarget(settings: SyslogSettings, { baseUrl }: Instance): Target {
  const host = new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    limits: LIMITS,
    async send({ events }, abort) {
      const frames = events.map((event) => toFrame(formatMessage(event, host)))
      await withConnection(settings, abort, (socket) => endAndWait(socket, Buffer.concat(frames)))
      return undefined
    },
    check: (abort) =>
      withConnection(settings, abort, async (socket) => {
        const closed = new Promise((_, reject) => socket.once('error', reject))
        await Promise.race([sleep(REJECTION_MS), closed])
      }),
  }
}

async function withConnection(
  { url, tls }: SyslogSettings,
  abort: AbortSignal,
  work: (socket: TLSSocket) => Promise<void>,
): Promise<void> {
  beginSlowWork('request to another server')
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS)
  const signal = AbortSignal.any([abort, timeout])
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({
    host,
    port: Number(port || DEFAULT_PORT),
    lookup: lookupInTurn,
    ...(isIP(host) === 0 && { servername: host }),
    ...tls,
    rejectUnauthorized: true,
  })
  const destroy = () => socket.destroy(new Error('aborted'))
  signal.addEventListener('abort', destroy, { once: true })
  if (signal.aborted) destroy()
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('secureConnect', resolve)
    })
    await work(socket)
  } catch (error) {
    throw toConnectionError(error, timeout)
  } finally {
    signal.removeEventListener('abort', destroy)
    // Errors of a connection that is no longer used have no meaning.
    socket.on('error', () => {})
    socket.destroy()
  }
}

/** Sends the data, closes this side, and waits until the receiver has closed the other side. */
const endAndWait = (socket: TLSSocket, data: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const failEarly = () => reject(new Error('the receiver closed the connection before everything was sent'))
    let isEnding = false
    socket.once('error', reject)
    socket.once('close', failEarly)
    socket.once('end', () => (isEnding ? resolve() : failEarly()))
    socket.resume()
    socket.write(data, () => {
      setTimeout(() => {
        isEnding = true
        socket.end()
      }, SETTLE_MS)
    })
  })

/** The length in bytes, a space, and the message (RFC 5425 §4.3). */
const toFrame = (message: string): Buffer => {
  const bytes = Buffer.from(message)
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes])
}

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6
/** The enterprise number for examples (RFC 5612). Latchkey has no number of its own. */
const STRUCTURED_DATA_ID = 'latchkey@32473'

/** A message of RFC 5424. The action is the MSGID, the fields for searches are structured data, and MSG is JSON. */
export function formatMessage(event: StreamEvent, host: string): string {
  const { id, position, hash, occurredAt, action, actor } = event
  const parameters: Record<string, string | null> = {
    id,
    position: String(position),
    hash,
    actorKind: actor.kind,
    actorId: actor.id,
    clientId: event.clientId,
    tenantId: event.tenantId,
    userId: event.userId,
    ipAddress: event.ipAddress,
    requestId: event.requestId,
  }
  const data = Object.entries(parameters)
    .flatMap(([name, value]) => (value === null ? [] : [` ${name}="${escapeValue(value)}"`]))
    .join('')
  return `<${PRIORITY}>1 ${occurredAt} ${host} latchkey - ${action} [${STRUCTURED_DATA_ID}${data}] ${toAsciiJson(event)}`
}

/** RFC 5424 §6.3.3. Control characters have no place in these values. */
const escapeValue = (value: string): string => value.replace(/\p{Cc}/gu, ' ').replace(/["\\\]]/g, '\\$&')

/** In ASCII, because a message in UTF-8 must start with a byte order mark (RFC 5424 §6.4), which breaks JSON parsers. */
const toAsciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

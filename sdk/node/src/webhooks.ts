import { createHmac, timingSafeEqual } from 'node:crypto'

/** An event that Latchkey has sent. docs/events.md lists the types. */
export interface WebhookEvent {
  /** The same in every attempt to deliver the event. */
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
}

/** The request was not sent by Latchkey, is too old, or has been changed. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

const TOLERANCE_SECONDS = 5 * 60
/** Standard Webhooks requires as many. With an empty secret, anybody could sign. */
const MIN_SECRET_BYTES = 24

type HeaderValues = Headers | Record<string, string | string[] | undefined>

/**
 * Verifies a webhook request (Standard Webhooks) and returns its event. Pass the body as it was received, byte for byte.
 * While a secret is replaced, pass the old and the new one.
 *
 * @example
 * const event = verifyWebhook(process.env.WEBHOOK_SECRET, request.headers, await request.text())
 */
export function verifyWebhook(
  secret: string | readonly string[],
  headers: HeaderValues,
  body: string | Uint8Array,
): WebhookEvent {
  const keys = [secret].flat().map(toKey)
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookError('The webhook is too old, or the clock of this machine is wrong.')
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? [Buffer.from(signature.slice(3), 'base64')] : []))
  const expected = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest())
  const isGenuine = expected.some((digest) =>
    signatures.some((signature) => signature.length === digest.length && timingSafeEqual(signature, digest)),
  )
  if (!isGenuine) throw new WebhookError('The signature of the webhook is wrong.')
  return parseEvent(Buffer.from(body).toString())
}

function toKey(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length >= MIN_SECRET_BYTES) return key
  throw new TypeError('The webhook secret is not valid. Copy it as Latchkey showed it, with whsec_ at the start.')
}

function readHeader(headers: HeaderValues, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== 'string') throw new WebhookError(`The header ${name} is missing.`)
  return value
}

function parseEvent(text: string): WebhookEvent {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new WebhookError('The body of the webhook is not an event.', { cause: error })
  }
}

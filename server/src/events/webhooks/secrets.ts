import { createHmac, randomBytes } from 'node:crypto'
import type { Ctx } from '../../context.ts'

/** Webhook secrets (Standard Webhooks). They are needed for signing, so they are encrypted and not hashed. */

const PREFIX = 'whsec_'
const SEAL = 'webhook-secret'
/** How long the previous secret signs as well, so that receivers can switch to the new one. */
export const OVERLAP_MS = 24 * 3_600_000

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

export const sealSecret = ({ keys }: Ctx, secret: string): Buffer => keys.seal(SEAL, secret)

/** Seals a secret again with the current key. */
export const resealSecret = (ctx: Ctx, sealed: Buffer): Buffer => sealSecret(ctx, ctx.keys.unseal(SEAL, sealed))

export interface StoredSecrets {
  sealed_secret: Buffer
  sealed_previous_secret: Buffer | null
  previous_secret_until: Date | null
}

/** The secrets that sign at the given time, newest first. */
export function unsealActiveSecrets({ keys }: Ctx, stored: StoredSecrets, now: Date): string[] {
  const { sealed_secret, sealed_previous_secret, previous_secret_until } = stored
  const previous = previous_secret_until && previous_secret_until > now ? sealed_previous_secret : null
  return [sealed_secret, ...(previous ? [previous] : [])].map((sealed) => keys.unseal(SEAL, sealed))
}

export interface SignedContent {
  id: string
  /** Unix time in seconds. */
  timestamp: number
  body: string
}

/** The `webhook-signature` header with one signature for each secret. */
export const createSignatureHeader = (secrets: string[], { id, timestamp, body }: SignedContent): string =>
  secrets
    .map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')

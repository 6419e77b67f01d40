import { createHmac, randomBytes } from 'node:crypto'
import type { Ctx } from '../../context.ts'

/** The secrets of webhooks, as Standard Webhooks has them. They sign, so they are kept sealed and not hashed. */

const PREFIX = 'whsec_'
const SEAL = 'webhook-secret'
/** So long the secret before signs as well, so that nothing is refused while the new one is brought to the receiver. */
export const OVERLAP_MS = 24 * 3_600_000

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

export const sealSecret = ({ keys }: Ctx, secret: string): Buffer => keys.seal(SEAL, secret)

/** The same secret, sealed with the newest key. */
export const sealAnew = (ctx: Ctx, sealed: Buffer): Buffer => sealSecret(ctx, ctx.keys.unseal(SEAL, sealed))

export interface KeptSecrets {
  sealed_secret: Buffer
  sealed_previous_secret: Buffer | null
  previous_secret_until: Date | null
}

/** Those that sign at this moment, the newest first. */
export function liveSecrets({ keys }: Ctx, kept: KeptSecrets, now: Date): string[] {
  const { sealed_secret, sealed_previous_secret, previous_secret_until } = kept
  const previous = previous_secret_until && previous_secret_until > now ? sealed_previous_secret : null
  return [sealed_secret, ...(previous ? [previous] : [])].map((sealed) => keys.unseal(SEAL, sealed))
}

export interface Signed {
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/** The header of a message: a signature for each secret. */
export const signatureOf = (secrets: string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')

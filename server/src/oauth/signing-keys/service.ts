import { settleSigningAlgorithms } from '../../applications/signing-algorithm.ts'
import { auditKeyEvents } from '../../audit/key-events.ts'
import { type AuditSource, OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import {
  describeSigningKeys,
  ensureSigningKeys,
  maintainSigningKeys,
  type Rotation,
  replaceSigningKeys,
  rotateSigningKeys,
  type SigningKeyInfo,
} from '../../keys/signing-keys.ts'

/** Administration of signing keys. Every change is recorded as an audit event. */

export interface RotationOptions {
  /** Sign immediately, without being published first. */
  immediately?: boolean | undefined
  /** Withdraw all other keys, which invalidates every access token. */
  leaked?: boolean | undefined
}

/** Creates the next key of each algorithm that is used. This process uses them before the promise resolves. */
export async function rotateKeys(
  ctx: Ctx,
  { immediately = false, leaked = false }: RotationOptions,
  source: AuditSource,
): Promise<Rotation[]> {
  const onKeyEvent = auditKeyEvents(ctx, source)
  const rotations = leaked
    ? await replaceSigningKeys(ctx, onKeyEvent)
    : await rotateSigningKeys(ctx, { immediately, onKeyEvent })
  await ctx.changes.waitUntilCurrent()
  return rotations
}

/** Creates the keys that are missing: the first key of an instance, and those of algorithms that applications use. */
export const ensureFirstKey = (ctx: Ctx): Promise<void> => ensureSigningKeys(ctx, auditKeyEvents(ctx, OPERATOR_SOURCE))

export const listKeys = (ctx: Ctx): Promise<SigningKeyInfo[]> => describeSigningKeys(ctx)

export const maintainKeys = defineJob<unknown>({
  name: 'maintain_signing_keys',
  schedule: '7 * * * *',
  async run(ctx) {
    await settleSigningAlgorithms(ctx)
    await maintainSigningKeys(ctx, auditKeyEvents(ctx, OPERATOR_SOURCE))
  },
})

import { type Action, type AuditSource, OPERATOR_SOURCE, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import {
  describeSigningKeys,
  ensureSigningKey,
  maintainSigningKeys,
  type OnKeyEvent,
  type Rotation,
  replaceSigningKeys,
  rotateSigningKeys,
  type SigningKeyInfo,
} from '../../keys/signing-keys.ts'

/** Administration of signing keys. Every change is recorded as an audit event. */

const ACTIONS = {
  created: 'signing_key.created',
  brought_forward: 'signing_key.brought_forward',
  withdrawn: 'signing_key.withdrawn',
} as const satisfies Record<string, Action>

const auditKeyEvents =
  (ctx: Ctx, source: AuditSource): OnKeyEvent =>
  (tx, { event, ...details }) =>
    recordAuditEvent(ctx, tx, { action: ACTIONS[event], ...source, details })

export interface RotationOptions {
  /** Sign immediately, without being published first. */
  immediately?: boolean | undefined
  /** Withdraw all other keys, which invalidates every access token. */
  leaked?: boolean | undefined
}

/** Creates the next key. This process uses it before the promise resolves. */
export async function rotateKeys(
  ctx: Ctx,
  { immediately = false, leaked = false }: RotationOptions,
  source: AuditSource,
): Promise<Rotation> {
  const onKeyEvent = auditKeyEvents(ctx, source)
  const rotation = leaked
    ? await replaceSigningKeys(ctx, onKeyEvent)
    : await rotateSigningKeys(ctx, { immediately, onKeyEvent })
  await ctx.changes.waitUntilCurrent()
  return rotation
}

/** Creates the first key of an instance, if it has none. */
export const ensureFirstKey = (ctx: Ctx): Promise<void> => ensureSigningKey(ctx, auditKeyEvents(ctx, OPERATOR_SOURCE))

export const listKeys = (ctx: Ctx): Promise<SigningKeyInfo[]> => describeSigningKeys(ctx)

export const maintainKeys = defineJob<unknown>({
  name: 'maintain_signing_keys',
  schedule: '7 * * * *',
  run: (ctx) => maintainSigningKeys(ctx, auditKeyEvents(ctx, OPERATOR_SOURCE)),
})

import { type Action, OPERATOR, record, type Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import {
  type DescribedKey,
  describeSigningKeys,
  ensureSigningKey,
  maintainSigningKeys,
  type Rotation,
  replaceSigningKeys,
  rotateSigningKeys,
  type Witness,
} from '../../keys/signing-keys.ts'

/** The keys that sign tokens, as those who run the service deal with them: whatever happens to one is written down. */

const ACTIONS = {
  created: 'signing_key.created',
  brought_forward: 'signing_key.brought_forward',
  withdrawn: 'signing_key.withdrawn',
} as const satisfies Record<string, Action>

const witnessFor =
  (ctx: Ctx, source: Source): Witness =>
  (tx, { event, ...details }) =>
    record(ctx, tx, { action: ACTIONS[event], ...source, details })

export interface WantedRotation {
  /** It shall sign at once, without being published before. */
  immediately?: boolean | undefined
  /** Every key before it is withdrawn, and with them every token. */
  leaked?: boolean | undefined
}

/** Makes the next key. This node knows it before the answer is given. */
export async function rotateKeys(
  ctx: Ctx,
  { immediately = false, leaked = false }: WantedRotation,
  source: Source,
): Promise<Rotation> {
  const witness = witnessFor(ctx, source)
  const rotation = leaked
    ? await replaceSigningKeys(ctx, witness)
    : await rotateSigningKeys(ctx, { immediately, witness })
  await ctx.changes.settle()
  return rotation
}

/** The first key of an instance, if it has none. */
export const ensureFirstKey = (ctx: Ctx): Promise<void> => ensureSigningKey(ctx, witnessFor(ctx, OPERATOR))

export const listKeys = (ctx: Ctx): Promise<DescribedKey[]> => describeSigningKeys(ctx)

/** A key grows old by itself. */
export const maintainKeys = defineJob<unknown>({
  name: 'maintain_signing_keys',
  schedule: '7 * * * *',
  run: (ctx) => maintainSigningKeys(ctx, witnessFor(ctx, OPERATOR)),
})

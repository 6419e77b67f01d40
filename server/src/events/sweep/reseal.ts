import type { Ctx } from '../../context.ts'
import { NIL_ID } from '../../lib/ids.ts'
import { resealSecret } from '../webhooks/secrets.ts'
import { listOutdatedSecrets, replaceSecrets, type SealedSecrets } from './store.ts'

const BATCH = 100

/** Seals secrets again with the current encryption key, so that old keys can be removed. */
export async function resealSecrets(ctx: Ctx): Promise<void> {
  let after: string | undefined = NIL_ID
  while (after !== undefined) {
    const batch: SealedSecrets[] = await listOutdatedSecrets(ctx.db, {
      mark: ctx.keys.currentKeyPrefix,
      after,
      limit: BATCH,
    })
    for (const sealed of batch) await reseal(ctx, sealed)
    after = batch.at(-1)?.id
  }
}

/** A secret that cannot be opened is kept, because its key may be configured again. */
async function reseal(ctx: Ctx, sealed: SealedSecrets): Promise<void> {
  try {
    const { secret, previous } = sealed
    await replaceSecrets(ctx.db, sealed, {
      sealed_secret: resealSecret(ctx, secret),
      sealed_previous_secret: previous && resealSecret(ctx, previous),
    })
  } catch (err) {
    ctx.log.warn({ err, webhookId: sealed.id }, 'webhook secret could not be resealed')
  }
}

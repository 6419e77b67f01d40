import type { Ctx } from '../../context.ts'
import { NO_ID } from '../../lib/ids.ts'
import { sealAnew } from '../webhooks/secrets.ts'
import { listSealedBefore, replaceSeals, type Sealed } from './store.ts'

const BATCH = 100

/** Seals with the newest key what an older one has sealed, so that the older one can go. */
export async function resealSecrets(ctx: Ctx): Promise<void> {
  let after: string | undefined = NO_ID
  while (after !== undefined) {
    const batch: Sealed[] = await listSealedBefore(ctx.db, { mark: ctx.keys.mark, after, limit: BATCH })
    for (const sealed of batch) await reseal(ctx, sealed)
    after = batch.at(-1)?.id
  }
}

/** One that does not open is left as it is: the key may come back. */
async function reseal(ctx: Ctx, sealed: Sealed): Promise<void> {
  try {
    const { secret, previous } = sealed
    await replaceSeals(ctx.db, sealed, {
      sealed_secret: sealAnew(ctx, secret),
      sealed_previous_secret: previous && sealAnew(ctx, previous),
    })
  } catch (err) {
    ctx.log.warn({ err, webhookId: sealed.id }, 'webhook secret not sealed anew')
  }
}

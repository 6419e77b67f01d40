import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { NIL_ID } from '../../lib/ids.ts'
import { listTotpOfOlderKeys, replaceTotpSecret, type StoredTotp } from './store.ts'
import { TOTP_PURPOSE } from './totp.ts'

const BATCH_SIZE = 500

/** Encrypts secrets of older encryption keys again with the newest one, so that an operator can remove the older keys. */
export const reencryptTotpSecrets = defineJob<unknown>({
  name: 'reencrypt_totp_secrets',
  schedule: '47 * * * *',
  async run(ctx) {
    let after: string | undefined = NIL_ID
    while (after !== undefined) {
      const batch: StoredTotp[] = await listTotpOfOlderKeys(ctx.db, {
        mark: ctx.keys.currentKeyPrefix,
        after,
        limit: BATCH_SIZE,
      })
      for (const stored of batch) await reencrypt(ctx, stored)
      after = batch.at(-1)?.userId
    }
  },
})

async function reencrypt(ctx: Ctx, stored: StoredTotp): Promise<void> {
  const secret = decrypt(ctx, stored)
  if (secret !== undefined) await replaceTotpSecret(ctx.db, stored, ctx.keys.seal(TOTP_PURPOSE, secret))
}

/** Undefined if its key is not configured. The secret then stays as it is, because the key may be configured again. */
function decrypt(ctx: Ctx, { userId, sealedSecret }: StoredTotp): string | undefined {
  try {
    return ctx.keys.unseal(TOTP_PURPOSE, sealedSecret)
  } catch (err) {
    ctx.log.warn({ err, userId }, 'the secret of an authenticator app could not be encrypted again')
    return undefined
  }
}

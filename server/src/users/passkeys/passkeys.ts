import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import type { NewPasskey } from './enrollment.ts'
import { deletePasskey, insertPasskeyIfNew, listPasskeysOf, type Passkey } from './store.ts'

/** Re-exported for other slices, which must not import the store. */
export { listPasskeysOf, type Passkey }

/** Throws INVALID_PASSKEY when the credential is registered already. */
export async function insertPasskey(
  ctx: Ctx,
  tx: Tx,
  { userId, name, credential }: { userId: string; name: string; credential: NewPasskey },
): Promise<Passkey> {
  const inserted = await insertPasskeyIfNew(tx, {
    id: newId(),
    user_id: userId,
    name,
    created_at: ctx.now(),
    last_used_at: null,
    credential_id: credential.credentialId,
    public_key: credential.publicKey,
    sign_count: credential.signCount,
    transports: credential.transports,
    backed_up: credential.backedUp,
  })
  if (!inserted) throw new AppError('INVALID_PASSKEY')
  return inserted
}

/** Throws PASSKEY_NOT_FOUND when the user has no such passkey. */
export async function removePasskeyOf(tx: Tx, userId: string, id: string): Promise<Passkey> {
  const removed = isId(id) ? await deletePasskey(tx, { id, userId }) : undefined
  if (!removed) throw new AppError('PASSKEY_NOT_FOUND')
  return removed
}

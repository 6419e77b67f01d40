import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import type { NewPasskey } from './enrolment.ts'
import { deletePasskey, insertPasskeyIfNew, listPasskeysOf, type Passkey } from './store.ts'

/** The record of a passkey, for the slices above. */
export { listPasskeysOf, type Passkey }

/** Gives a person a passkey, unless it is somebody's already. */
export async function keepPasskey(
  ctx: Ctx,
  tx: Tx,
  { userId, name, made }: { userId: string; name: string; made: NewPasskey },
): Promise<Passkey> {
  const { credentialId, publicKey, signCount, transports, backedUp } = made
  const kept = await insertPasskeyIfNew(tx, {
    ...{ id: newId(), user_id: userId, name, created_at: ctx.now(), last_used_at: null },
    ...{ credential_id: credentialId, public_key: publicKey, sign_count: signCount },
    ...{ transports, backed_up: backedUp },
  })
  if (!kept) throw new AppError('INVALID_PASSKEY')
  return kept
}

/** Takes a passkey of theirs from a person. */
export async function dropPasskey(tx: Tx, userId: string, id: string): Promise<Passkey> {
  const dropped = isId(id) ? await deletePasskey(tx, { id, userId }) : undefined
  if (!dropped) throw new AppError('PASSKEY_NOT_FOUND')
  return dropped
}

import type { Tx } from '../../db/open.ts'

/**
 * Ends what a person, or somebody who knew their password, has begun elsewhere: other sessions, with every token that
 * came from them, and half sign-ins. No device counts as theirs any more.
 */
export async function endElsewhere(
  tx: Tx,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', sessionId).execute()
  await tx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute()
  await tx.deleteFrom('known_devices').where('user_id', '=', userId).execute()
}

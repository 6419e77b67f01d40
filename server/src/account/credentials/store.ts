import type { Tx } from '../../db/open.ts'

/** Deletes the other sessions of a person with their tokens, unfinished sign-ins, and the known devices. */
export async function deleteOtherSessions(
  tx: Tx,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', sessionId).execute()
  await tx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute()
  await tx.deleteFrom('known_devices').where('user_id', '=', userId).execute()
}

import type { Tx } from '../../db/open.ts'

/** Ends what a person has begun elsewhere: other sessions, with every token that came from them, and half sign-ins. */
export async function endElsewhere(
  tx: Tx,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', sessionId).execute()
  await tx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute()
}

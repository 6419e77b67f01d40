import type { Ctx } from '../context.ts'

/** The user, session and client of an ID token. */
export interface IdTokenHint {
  userId: string
  sessionId: string
  clientId: string
}

/** Verifies an id_token_hint. It may have expired (OpenID Connect RP-Initiated Logout §4). */
export async function findIdTokenHint(ctx: Ctx, token: string): Promise<IdTokenHint | undefined> {
  const { sub, sid, aud } = (await ctx.signer.verify('JWT', token)) ?? {}
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof aud !== 'string') return undefined
  return { userId: sub, sessionId: sid, clientId: aud }
}

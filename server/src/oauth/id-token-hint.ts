import type { Ctx } from '../context.ts'

/** What an ID token of ours says about whom it was given for. */
export interface Hint {
  userId: string
  sessionId: string
  clientId: string
}

/** Reads an ID token that comes back to us. It may have expired: it proves nothing but where it came from. */
export async function findHint(ctx: Ctx, token: string): Promise<Hint | undefined> {
  const { sub, sid, aud } = (await ctx.signer.verify('JWT', token)) ?? {}
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof aud !== 'string') return undefined
  return { userId: sub, sessionId: sid, clientId: aud }
}

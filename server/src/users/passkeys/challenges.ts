import type { Ctx } from '../../context.ts'
import type { PasskeyPurpose } from '../../db/tables.ts'
import { defineJob } from '../../jobs/job.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { deleteExpiredChallenges, insertChallenge, takeChallengeBy } from './store.ts'

/** How long somebody has to show their passkey. */
export const CHALLENGE_MS = 5 * 60_000

/** What a passkey is asked to sign, for one purpose, once. */
export interface Challenge {
  purpose: PasskeyPurpose
  /** Whoever shall sign it; undefined: whoever comes. */
  userId: string | undefined
}

export async function createChallenge(ctx: Ctx, { purpose, userId }: Challenge): Promise<string> {
  const challenge = newSecret()
  const expires_at = new Date(ctx.now().getTime() + CHALLENGE_MS)
  await insertChallenge(ctx.db, { hash: hashSecret(challenge), purpose, user_id: userId ?? null, expires_at })
  return challenge
}

interface Wanted {
  purposes: PasskeyPurpose[]
  userId?: string
}

/** The challenge that was signed, which is used up by that, whatever the signature is worth. */
export async function takeChallenge(
  ctx: Ctx,
  clientDataJSON: string,
  { purposes, userId }: Wanted,
): Promise<(Challenge & { challenge: string }) | undefined> {
  const challenge = readChallenge(clientDataJSON)
  if (challenge === undefined) return undefined
  const wanted = { hash: hashSecret(challenge), purposes, userId, now: ctx.now() }
  const taken = await takeChallengeBy(ctx.db, wanted)
  return taken && { purpose: taken.purpose, userId: taken.user_id ?? undefined, challenge }
}

/** Undefined for rubbish, and for what was signed inside another site's page: ours are never framed. */
function readChallenge(clientDataJSON: string): string | undefined {
  try {
    const signed: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge, crossOrigin } = signed as { challenge?: unknown; crossOrigin?: unknown }
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}

/** Anybody may ask for challenges, so those that nobody answered go soon. */
export const sweepPasskeyChallenges = defineJob<unknown>({
  name: 'sweep_passkey_challenges',
  schedule: '*/10 * * * *',
  run: (ctx) => deleteExpiredChallenges(ctx.db, ctx.now()),
})

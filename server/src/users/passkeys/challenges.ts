import type { Ctx } from '../../context.ts'
import type { PasskeyPurpose } from '../../db/tables.ts'
import { defineJob } from '../../jobs/job.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { deleteChallenge, deleteExpiredChallenges, insertChallenge } from './store.ts'

export const CHALLENGE_MS = 5 * 60_000

/** A single-use WebAuthn challenge for one purpose. */
export interface Challenge {
  purpose: PasskeyPurpose
  /** The user who must sign it; undefined: any user. */
  userId: string | undefined
}

export async function createChallenge(ctx: Ctx, { purpose, userId }: Challenge): Promise<string> {
  const challenge = newSecret()
  const expires_at = new Date(ctx.now().getTime() + CHALLENGE_MS)
  await insertChallenge(ctx.db, { hash: hashSecret(challenge), purpose, user_id: userId ?? null, expires_at })
  return challenge
}

interface ChallengeFilter {
  purposes: PasskeyPurpose[]
  userId?: string
}

/** Consumes the challenge that was signed, even if the signature turns out to be invalid. */
export async function consumeChallenge(
  ctx: Ctx,
  clientDataJSON: string,
  { purposes, userId }: ChallengeFilter,
): Promise<(Challenge & { challenge: string }) | undefined> {
  const challenge = parseChallenge(clientDataJSON)
  if (challenge === undefined) return undefined
  const row = await deleteChallenge(ctx.db, {
    hash: hashSecret(challenge),
    purposes,
    userId,
    now: ctx.now(),
  })
  return row && { purpose: row.purpose, userId: row.user_id ?? undefined, challenge }
}

/** Undefined for malformed data, and for a cross-origin frame: the pages are never framed by other sites. */
function parseChallenge(clientDataJSON: string): string | undefined {
  try {
    const clientData: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge, crossOrigin } = clientData as { challenge?: unknown; crossOrigin?: unknown }
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}

/** Challenges are created without authentication, so expired ones are swept often. */
export const sweepPasskeyChallenges = defineJob<unknown>({
  name: 'sweep_passkey_challenges',
  schedule: '*/10 * * * *',
  run: (ctx) => deleteExpiredChallenges(ctx.db, ctx.now()),
})

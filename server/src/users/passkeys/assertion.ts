import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { FastifyBaseLogger } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { PasskeyPurpose } from '../../db/tables.ts'
import { CHALLENGE_MS, type Challenge, consumeChallenge, createChallenge } from './challenges.ts'
import { userHandleOf } from './enrollment.ts'
import { relyingPartyOf } from './relying-party.ts'
import { findPasskeyByCredential, listPasskeysOf, type Passkey, recordPasskeyUse } from './store.ts'
import { fromBytes, loadWebauthn, toBytes } from './webauthn.ts'

/** Request options for a sign-in with any discoverable passkey, without a password. */
export async function createSignInOptions(ctx: Ctx): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await createChallenge(ctx, { purpose: 'sign-in', userId: undefined })
  const { generateAuthenticationOptions } = await loadWebauthn()
  return generateAuthenticationOptions({ ...commonOptions(ctx, challenge), userVerification: 'required' })
}

/** Request options for a passkey of this user as second factor; undefined when the user has none. */
export async function createSecondFactorOptions(
  ctx: Ctx,
  userId: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const passkeys = await listPasskeysOf(ctx.db, userId)
  if (passkeys.length === 0) return undefined
  const challenge = await createChallenge(ctx, { purpose: 'second-factor', userId })
  const { generateAuthenticationOptions } = await loadWebauthn()
  return generateAuthenticationOptions({
    ...commonOptions(ctx, challenge),
    allowCredentials: passkeys.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    userVerification: 'preferred',
  })
}

const commonOptions = (ctx: Ctx, challenge: string) => ({
  rpID: relyingPartyOf(ctx).id,
  challenge: toBytes(challenge),
  timeout: CHALLENGE_MS,
})

/** A passkey that has signed the challenge. */
export interface UsedPasskey extends Challenge {
  passkey: Passkey
}

export type PasskeyRefusal =
  | 'unknown_challenge'
  | 'unknown_passkey'
  | 'foreign_passkey'
  | 'wrong_passkey'
  | 'copied_passkey'

export interface RefusedPasskey {
  passkey: undefined
  reason: PasskeyRefusal
  purpose: PasskeyPurpose | undefined
  userId: string | undefined
}

/** Verifies an assertion and records the use of the passkey. The log contains the exact cause of a refusal. */
export async function usePasskey(
  ctx: Ctx,
  response: AuthenticationResponseJSON,
  log: FastifyBaseLogger,
): Promise<UsedPasskey | RefusedPasskey> {
  const { clientDataJSON } = response.response
  const challenge = await consumeChallenge(ctx, clientDataJSON, { purposes: ['sign-in', 'second-factor'] })
  const passkey = challenge && (await findPasskeyByCredential(ctx.db, response.id))
  const refuse = (reason: PasskeyRefusal, cause: unknown = reason): RefusedPasskey => {
    log.info({ reason: String(cause) }, 'a passkey was not accepted')
    const userId = challenge?.userId ?? passkey?.user_id
    return { passkey: undefined, reason, purpose: challenge?.purpose, userId }
  }
  // The challenge was never issued, is used, or has expired.
  if (!challenge) return refuse('unknown_challenge')
  if (!passkey) return refuse('unknown_passkey')
  if (challenge.userId !== undefined && challenge.userId !== passkey.user_id) return refuse('foreign_passkey')
  const verified = await verify(ctx, response, { ...challenge, passkey }).catch((error: unknown) =>
    refuse('wrong_passkey', error),
  )
  if ('reason' in verified) return verified
  const use = { id: passkey.id, ...verified, now: ctx.now() }
  if (!(await recordPasskeyUse(ctx.db, use))) {
    log.warn(
      {
        userId: passkey.user_id,
        passkeyId: passkey.id,
        kept: Number(passkey.sign_count),
        shown: verified.signCount,
      },
      'the sign count of a passkey did not increase: the passkey may have been copied',
    )
    return refuse('copied_passkey')
  }
  return { purpose: challenge.purpose, userId: challenge.userId, passkey }
}

/** Throws when the signature or the signed data is invalid. */
async function verify(
  ctx: Ctx,
  response: AuthenticationResponseJSON,
  { challenge, purpose, passkey }: UsedPasskey & { challenge: string },
): Promise<{ signCount: number; backedUp: boolean }> {
  const { id, origin } = relyingPartyOf(ctx)
  const passwordless = purpose === 'sign-in'
  const { verifyAuthenticationResponse } = await loadWebauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    // Without a password, possession of the device is not sufficient.
    requireUserVerification: passwordless,
    // 0 skips the check of the library: `recordPasskeyUse` checks the count atomically.
    credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
  })
  if (!verified) throw new Error('the signature is wrong')
  const { userHandle } = response.response
  // WebAuthn Level 3 §7.2 step 6: when the user was not identified before, the user handle is required.
  if (userHandle ? userHandle !== fromBytes(userHandleOf(passkey.user_id)) : passwordless) {
    throw new Error('the user handle does not match the owner of the passkey')
  }
  return { signCount: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp }
}

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { FastifyBaseLogger } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { PasskeyPurpose } from '../../db/tables.ts'
import { CHALLENGE_MS, type Challenge, createChallenge, takeChallenge } from './challenges.ts'
import { userHandleOf } from './enrolment.ts'
import { relyingPartyOf } from './relying-party.ts'
import { findPasskeyByCredential, listPasskeysOf, notePasskeyUse, type Passkey } from './store.ts'
import { fromBytes, loadWebauthn, toBytes } from './webauthn.ts'

/** What the browser needs to have any passkey of anybody's sign, in place of a password. */
export async function askForSignIn(ctx: Ctx): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await createChallenge(ctx, { purpose: 'sign-in', userId: undefined })
  const { generateAuthenticationOptions } = await loadWebauthn()
  return generateAuthenticationOptions({ ...common(ctx, challenge), userVerification: 'required' })
}

/** What it needs to have a passkey of this person's sign, after a password; undefined when they have none. */
export async function askForSecondFactor(
  ctx: Ctx,
  userId: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const own = await listPasskeysOf(ctx.db, userId)
  if (own.length === 0) return undefined
  const challenge = await createChallenge(ctx, { purpose: 'second-factor', userId })
  const { generateAuthenticationOptions } = await loadWebauthn()
  return generateAuthenticationOptions({
    ...common(ctx, challenge),
    allowCredentials: own.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    userVerification: 'preferred',
  })
}

const common = (ctx: Ctx, challenge: string) => ({
  rpID: relyingPartyOf(ctx).id,
  challenge: toBytes(challenge),
  timeout: CHALLENGE_MS,
})

/** A passkey that has signed what it was asked to. */
export interface UsedPasskey extends Challenge {
  passkey: Passkey
}

/** Why a passkey was not accepted. */
export type BadPasskey =
  | 'unknown_challenge'
  | 'unknown_passkey'
  | 'foreign_passkey'
  | 'wrong_passkey'
  | 'copied_passkey'

/** A passkey that was not accepted, what it was asked for, and of whom. */
export interface RefusedPasskey {
  passkey: undefined
  reason: BadPasskey
  purpose: PasskeyPurpose | undefined
  userId: string | undefined
}

/** Lets a passkey be used, unless anything is wrong with it. The log says more than the answer. */
export async function usePasskey(
  ctx: Ctx,
  response: AuthenticationResponseJSON,
  log: FastifyBaseLogger,
): Promise<UsedPasskey | RefusedPasskey> {
  const { clientDataJSON } = response.response
  const taken = await takeChallenge(ctx, clientDataJSON, { purposes: ['sign-in', 'second-factor'] })
  const passkey = taken && (await findPasskeyByCredential(ctx.db, response.id))
  const refuse = (reason: BadPasskey, cause: unknown = reason): RefusedPasskey => {
    log.info({ reason: String(cause) }, 'a passkey was not accepted')
    const userId = taken?.userId ?? passkey?.user_id
    return { passkey: undefined, reason, purpose: taken?.purpose, userId }
  }
  // Nobody has asked for it, or it was used before, or that was too long ago.
  if (!taken) return refuse('unknown_challenge')
  if (!passkey) return refuse('unknown_passkey')
  if (taken.userId !== undefined && taken.userId !== passkey.user_id) return refuse('foreign_passkey')
  const signed = await verify(ctx, response, { ...taken, passkey }).catch((error: unknown) =>
    refuse('wrong_passkey', error),
  )
  if ('reason' in signed) return signed
  const use = { id: passkey.id, ...signed, now: ctx.now() }
  if (!(await notePasskeyUse(ctx.db, use))) {
    const counts = { kept: Number(passkey.sign_count), shown: signed.signCount }
    const whose = { userId: passkey.user_id, passkeyId: passkey.id }
    log.warn({ ...whose, ...counts }, 'a passkey has not counted on: it may have been copied')
    return refuse('copied_passkey')
  }
  return { purpose: taken.purpose, userId: taken.userId, passkey }
}

/** Throws when the signature, or anything that was signed, is not as it should be. */
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
    // In place of a password, having the device is not enough.
    requireUserVerification: passwordless,
    // Its count is looked at when the use is written down, so that of two uses at once one is refused.
    credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
  })
  if (!verified) throw new Error('the signature is wrong')
  const { userHandle } = response.response
  // WebAuthn Level 3 §7.2 step 6: where nobody was named before, the passkey must name the person.
  if (userHandle ? userHandle !== fromBytes(userHandleOf(passkey.user_id)) : passwordless) {
    throw new Error('it does not name the person it belongs to')
  }
  return { signCount: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp }
}

import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { displayNameOf } from '../../lib/display-name.ts'
import type { User } from '../store.ts'
import { CHALLENGE_MS, createChallenge, takeChallenge } from './challenges.ts'
import { relyingPartyOf } from './relying-party.ts'
import { listPasskeysOf } from './store.ts'
import { ALGORITHMS, fromBytes, loadWebauthn, loadWebauthnHelpers, toBytes } from './webauthn.ts'

const MOST_PASSKEYS = 20
/** WebAuthn Level 3 §7.1: credential ids are no longer than this. */
const LONGEST_ID_BYTES = 1023
/** An RSA key of 8192 bits fits. */
const LONGEST_KEY_BYTES = 1100

/** What a passkey has shown of itself when it was made. */
export interface NewPasskey {
  credentialId: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  backedUp: boolean
}

/** Under which name a passkey knows the person, and gives them back at sign-in. */
export const userHandleOf = (userId: string) => new Uint8Array(Buffer.from(userId))

/** What the browser needs to make a passkey. */
export async function beginEnrolment(ctx: Ctx, user: User): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const own = await listPasskeysOf(ctx.db, user.id)
  requireRoom(own.length)
  const { id, name } = relyingPartyOf(ctx)
  const challenge = await createChallenge(ctx, { purpose: 'enrol', userId: user.id })
  const { generateRegistrationOptions } = await loadWebauthn()
  return generateRegistrationOptions({
    rpID: id,
    rpName: name,
    challenge: toBytes(challenge),
    userID: userHandleOf(user.id),
    userName: user.email,
    userDisplayName: displayNameOf(user),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: own.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

export function requireRoom(passkeys: number): void {
  if (passkeys < MOST_PASSKEYS) return
  throw new AppError('VALIDATION_FAILED', {
    message: `You have ${MOST_PASSKEYS} passkeys already. Remove one first.`,
  })
}

/** The passkey that was made, or INVALID_PASSKEY. */
export async function verifyEnrolment(
  ctx: Ctx,
  userId: string,
  response: RegistrationResponseJSON,
): Promise<NewPasskey> {
  const taken = await takeChallenge(ctx, response.response.clientDataJSON, { purposes: ['enrol'], userId })
  if (!taken) throw new AppError('INVALID_PASSKEY')
  try {
    return await verify(ctx, response, taken.challenge)
  } catch (error) {
    // Only what was sent can be at fault: nothing but it is looked at.
    throw new AppError('INVALID_PASSKEY', { cause: error })
  }
}

async function verify(ctx: Ctx, sent: RegistrationResponseJSON, challenge: string): Promise<NewPasskey> {
  const { id, origin } = relyingPartyOf(ctx)
  const attestationObject = await withoutAttestation(sent.response.attestationObject)
  const { verifyRegistrationResponse } = await loadWebauthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...sent, response: { ...sent.response, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!registrationInfo) throw new Error('not verified')
  const { credential, credentialBackedUp } = registrationInfo
  const { publicKey, counter } = credential
  if (credential.id !== sent.id) throw new Error('the passkey has two ids')
  if (toBytes(credential.id).length > LONGEST_ID_BYTES) throw new Error('the id is too long')
  if (publicKey.length > LONGEST_KEY_BYTES) throw new Error('the key is too long')
  await tryKey(publicKey)
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(publicKey),
    signCount: counter,
    transports: credential.transports ?? [],
    backedUp: credentialBackedUp,
  }
}

/**
 * Who made a passkey does not matter to us, and we have asked nobody to vouch for it. What is said about that all
 * the same is left unread: to check it, the library would fetch addresses that the sender has chosen.
 */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await loadWebauthnHelpers()
  const authData: unknown = decodeAttestationObject(toBytes(attestationObject)).get('authData')
  if (!(authData instanceof Uint8Array)) throw new Error('no authenticator data')
  const bare = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ])
  return fromBytes(isoCBOR.encode(bare))
}

/** A well-formed signature of nothing: r and s are 1. */
const SOME_SIGNATURE = Uint8Array.of(0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01)

/** Throws for a key that no signature could ever be checked with: it would lock the person out. */
async function tryKey(credentialPublicKey: Uint8Array<ArrayBuffer>): Promise<void> {
  const { verifySignature } = await loadWebauthnHelpers()
  await verifySignature({ signature: SOME_SIGNATURE, data: new Uint8Array(), credentialPublicKey })
}

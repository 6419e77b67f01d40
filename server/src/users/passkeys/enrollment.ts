import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { toDisplayName } from '../../lib/display-name.ts'
import type { User } from '../store.ts'
import { CHALLENGE_MS, consumeChallenge, createChallenge } from './challenges.ts'
import { relyingPartyOf } from './relying-party.ts'
import { listPasskeysOf } from './store.ts'
import { ALGORITHMS, fromBytes, loadWebauthn, loadWebauthnHelpers, toBytes } from './webauthn.ts'

const MAX_PASSKEYS = 20
/** WebAuthn Level 3 §7.1. */
const MAX_ID_BYTES = 1023
/** Enough for an RSA key of 8192 bits. */
const MAX_KEY_BYTES = 1100

/** The verified data of a new credential. */
export interface NewPasskey {
  credentialId: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  backedUp: boolean
}

/** The WebAuthn user handle, which the passkey returns at sign-in. */
export const userHandleOf = (userId: string) => new Uint8Array(Buffer.from(userId))

/** Creation options for a new passkey. */
export async function beginEnrollment(ctx: Ctx, user: User): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const passkeys = await listPasskeysOf(ctx.db, user.id)
  requirePasskeyLimit(passkeys.length)
  const { id, name } = relyingPartyOf(ctx)
  const challenge = await createChallenge(ctx, { purpose: 'enrol', userId: user.id })
  const { generateRegistrationOptions } = await loadWebauthn()
  return generateRegistrationOptions({
    rpID: id,
    rpName: name,
    challenge: toBytes(challenge),
    userID: userHandleOf(user.id),
    userName: user.email,
    userDisplayName: toDisplayName(user),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** Throws when the user already has the maximum number of passkeys. */
export function requirePasskeyLimit(count: number): void {
  if (count < MAX_PASSKEYS) return
  throw new AppError('VALIDATION_FAILED', {
    message: t('You have {max} passkeys already. Remove one first.', { max: MAX_PASSKEYS }),
  })
}

/** Verifies the registration response; throws INVALID_PASSKEY. */
export async function verifyEnrollment(
  ctx: Ctx,
  userId: string,
  response: RegistrationResponseJSON,
): Promise<NewPasskey> {
  const challenge = await consumeChallenge(ctx, response.response.clientDataJSON, {
    purposes: ['enrol'],
    userId,
  })
  if (!challenge) throw new AppError('INVALID_PASSKEY')
  try {
    return await verify(ctx, response, challenge.challenge)
  } catch (error) {
    // `verify` depends on the response only, so every error is the client's.
    throw new AppError('INVALID_PASSKEY', { cause: error })
  }
}

async function verify(ctx: Ctx, registration: RegistrationResponseJSON, challenge: string): Promise<NewPasskey> {
  const { id, origin } = relyingPartyOf(ctx)
  const attestationObject = await withoutAttestation(registration.response.attestationObject)
  const { verifyRegistrationResponse } = await loadWebauthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...registration, response: { ...registration.response, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!registrationInfo) throw new Error('not verified')
  const { credential, credentialBackedUp } = registrationInfo
  const { publicKey, counter } = credential
  if (credential.id !== registration.id) throw new Error('the credential ids differ')
  if (toBytes(credential.id).length > MAX_ID_BYTES) throw new Error('the id is too long')
  if (publicKey.length > MAX_KEY_BYTES) throw new Error('the key is too long')
  await requireUsableKey(publicKey)
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(publicKey),
    signCount: counter,
    transports: credential.transports ?? [],
    backedUp: credentialBackedUp,
  }
}

/**
 * Removes the attestation statement, which is not requested. To verify it, the library would fetch URLs that the client
 * controls.
 */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await loadWebauthnHelpers()
  const authData: unknown = decodeAttestationObject(toBytes(attestationObject)).get('authData')
  if (!(authData instanceof Uint8Array)) throw new Error('no authenticator data')
  const unattested = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ])
  return fromBytes(isoCBOR.encode(unattested))
}

/** A well-formed ECDSA signature with r = s = 1. */
const DUMMY_SIGNATURE = Uint8Array.of(0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01)

/** Throws for a key that cannot verify any signature: the person would be locked out. */
async function requireUsableKey(credentialPublicKey: Uint8Array<ArrayBuffer>): Promise<void> {
  const { verifySignature } = await loadWebauthnHelpers()
  await verifySignature({ signature: DUMMY_SIGNATURE, data: new Uint8Array(), credentialPublicKey })
}

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Deviations from a correct authenticator. */
export interface Deviation {
  origin?: string
  rpId?: string
  /** User verification: by fingerprint, face or PIN. */
  verified?: boolean
  present?: boolean
  count?: number
  backedUp?: boolean
  challenge?: string
  type?: string
  userHandle?: string | null
  crossOrigin?: boolean
  /** Changes the attestation object. */
  attestation?: (parts: Map<string, unknown>) => Map<string, unknown>
  key?: Buffer
}

export interface CreationOptions {
  challenge: string
  user: { id: string }
  rp: { id: string }
}

export interface RequestOptions {
  challenge: string
  rpId: string
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

const bytes = (text: string) => Buffer.from(text, 'base64url')
const text = (content: Uint8Array) => Buffer.from(content).toString('base64url')
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()

/** A software authenticator (WebAuthn Level 3 §6). Every use increments the signature counter. */
export function newAuthenticator(origin: string, algorithm: Algorithm = 'ES256') {
  const { privateKey, coseKey } = newKey(algorithm)
  const credentialId = randomBytes(32)
  const id = text(credentialId)
  let count = 0
  let userHandle: string | null = null

  const clientData = (type: string, challenge: string, twist: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: twist.type ?? type,
        challenge: twist.challenge ?? challenge,
        origin: twist.origin ?? origin,
        crossOrigin: twist.crossOrigin ?? false,
      }),
    )

  function authenticatorData(rpId: string, twist: Deviation, attested?: Buffer): Buffer {
    const { present = true, verified = true, backedUp = false } = twist
    const flags = (present ? 1 : 0) | (verified ? 4 : 0) | (backedUp ? 24 : 0) | (attested ? 64 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(twist.count ?? count++)
    return Buffer.concat([sha256(twist.rpId ?? rpId), Buffer.of(flags), counter, attested ?? Buffer.alloc(0)])
  }

  return {
    id,
    /** The result of `navigator.credentials.create`. */
    create({ challenge, user, rp }: CreationOptions, twist: Deviation = {}) {
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, twist.key ?? coseKey])
      const parts = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authenticatorData(rp.id, twist, attested))],
      ])
      const attestation = twist.attestation?.(parts) ?? parts
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: text(clientData('webauthn.create', challenge, twist)),
          attestationObject: text(isoCBOR.encode(attestation as never)),
          transports: ['internal'],
        },
      }
    },
    /** The result of `navigator.credentials.get`. */
    get({ challenge, rpId }: RequestOptions, twist: Deviation = {}) {
      const client = clientData('webauthn.get', challenge, twist)
      const data = authenticatorData(rpId, twist)
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: text(client),
          authenticatorData: text(data),
          signature: text(signature),
          userHandle: twist.userHandle === undefined ? userHandle : twist.userHandle,
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof newAuthenticator>

function newKey(algorithm: Algorithm): { privateKey: KeyObject; coseKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPair(algorithm)
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' }) as Record<string, string>
  const parts: Record<Algorithm, [number, number | Uint8Array][]> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, toArray(x)],
      [-3, toArray(y)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, toArray(x)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, toArray(n)],
      [-2, toArray(e)],
    ],
  }
  return { privateKey, coseKey: Buffer.from(isoCBOR.encode(new Map(parts[algorithm]))) }
}

function generateKeyPair(algorithm: Algorithm) {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

const toArray = (part: string) => new Uint8Array(bytes(part))

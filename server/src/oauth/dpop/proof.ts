import { hash } from 'node:crypto'
import { OAuthError } from '../../errors.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import { readProofKey } from './keys.ts'
import { isSameUri } from './uri.ts'

const MAX_PROOF_LENGTH = 8 * 1024
const MAX_JTI_LENGTH = 256
/** How far `iat` may be from the time of the service. */
export const PROOF_SECONDS = 60
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/
const HEADER_PARAMETERS = ['typ', 'alg', 'jwk', 'kid']

/** What a proof must be for. */
export interface ProofTarget {
  method: string
  uri: string
  /** The access token of a request to a resource. */
  accessToken: string | undefined
  now: Date
}

export interface VerifiedProof {
  /** The thumbprint of its key. */
  jkt: string
  alg: string
  jti: string
  nonce: unknown
}

/** Checks a proof (RFC 9449 §4.3), but not its nonce, and not whether it was used before. Throws invalid_dpop_proof. */
export function verifyProof(text: string, target: ProofTarget): VerifiedProof {
  const [, first = '', second = '', third = ''] = (text.length <= MAX_PROOF_LENGTH && COMPACT.exec(text)) || []
  const header = decode(first)
  const claims = decode(second)
  if (!header || !claims) throw invalidProof('The DPoP proof is not a JWT.')
  if (header.typ !== 'dpop+jwt') throw invalidProof('The typ of the DPoP proof must be dpop+jwt.')
  if (Object.keys(header).some((name) => !HEADER_PARAMETERS.includes(name))) {
    throw invalidProof('The header of the DPoP proof may have typ, alg, jwk and kid only.')
  }
  const key = readProofKey(header.alg, header.jwk)
  if (typeof key === 'string') throw invalidProof(key)
  const signature = decodeBase64Url(third)
  if (!signature || !key.verifies(`${first}.${second}`, signature)) {
    throw invalidProof('The signature of the DPoP proof is not valid.')
  }
  checkTarget(claims, target)
  checkTime(claims, target.now)
  const { jti, nonce } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) {
    throw invalidProof(`The DPoP proof must have a jti of 1 to ${MAX_JTI_LENGTH} characters.`)
  }
  return { jkt: key.jkt, alg: String(header.alg), jti, nonce }
}

/** `facts` are logged only. */
export const invalidProof = (description: string, facts?: Record<string, unknown>): OAuthError =>
  new OAuthError('invalid_dpop_proof', description, facts && { facts })

function checkTarget({ htm, htu, ath }: Claims, { method, uri, accessToken }: ProofTarget): void {
  if (htm !== method) throw invalidProof('The htm of the DPoP proof is not the method of the request.', { htm })
  if (!isSameUri(htu, uri)) {
    throw invalidProof('The htu of the DPoP proof is not the address of the request.', { htu, expected: uri })
  }
  if (accessToken !== undefined && ath !== hash('sha256', accessToken, 'base64url')) {
    throw invalidProof('The ath of the DPoP proof is not the hash of the access token.')
  }
}

function checkTime({ iat, exp, nbf }: Claims, now: Date): void {
  const seconds = now.getTime() / 1000
  if (typeof iat !== 'number' || Math.abs(seconds - iat) > PROOF_SECONDS) {
    throw invalidProof(
      `The iat of the DPoP proof must be within ${PROOF_SECONDS} seconds of the time of the service.`,
      {
        iat,
      },
    )
  }
  if (exp !== undefined && !(typeof exp === 'number' && exp > seconds)) {
    throw invalidProof('The DPoP proof has expired.')
  }
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + PROOF_SECONDS)) {
    throw invalidProof('The DPoP proof is not valid yet.')
  }
}

type Claims = Record<string, unknown>

function decode(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(decodeBase64Url(text)?.toString() ?? '')
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

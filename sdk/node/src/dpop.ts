import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { Auth } from './auth.ts'
import { AuthError } from './auth-error.ts'
import { findAddress, normalizeAddress, type TokenRequest } from './request-address.ts'
import { createProofMemory } from './used-proofs.ts'

/** The algorithms that Latchkey accepts for proofs. Ed25519 is another name of EdDSA (RFC 9864 §2.2). */
export const PROOF_ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'RS256', 'Ed25519']

/** How far `iat` may be from the time of this server. */
const PROOF_SECONDS = 60
const MAX_PROOF_LENGTH = 8 * 1024
const MAX_JTI_LENGTH = 256
/** One JWT. The values of several headers are joined with a comma, so they do not match. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

export interface DpopOptions {
  /**
   * The address at which clients reach the path `/` of this server, such as https://api.example.com. Needed without a
   * resource, or if a proxy changes the path. Default: the origin of the resource.
   */
  baseUrl?: string
  /**
   * Returns whether the id is new, and remembers it for the given time, in one step. Needed if the API runs in several
   * processes. Default: each process remembers the proofs that it accepted.
   */
  useOnce?: (id: string, seconds: number) => boolean | Promise<boolean>
}

type Refuse = (code: 'invalid_token' | 'invalid_dpop_proof', message: string, cause?: unknown) => AuthError

/**
 * Checks that the sender of a request has the key of its access token (RFC 9449 §4.3, §7.1). Call it after the token is
 * verified.
 */
export function createProofCheck({ baseUrl, useOnce = createProofMemory() }: DpopOptions & { baseUrl: string }) {
  /** A request may pass several guards, all with the proof that the first one used. */
  const accepted = new WeakMap<TokenRequest, string>()

  async function use(request: TokenRequest, id: string): Promise<boolean> {
    if (accepted.get(request) === id) return true
    try {
      // It may be accepted for this long, if its iat is ahead of our time.
      if (!(await useOnce(id, 2 * PROOF_SECONDS))) return false
    } catch (error) {
      throw new AuthError('unavailable', 'The DPoP proof cannot be checked now.', { cause: error })
    }
    accepted.set(request, id)
    return true
  }

  return async ({ token, claims: { cnf } }: Auth, request: TokenRequest, refuse: Refuse): Promise<void> => {
    const jkt = (cnf as { jkt?: unknown } | undefined)?.jkt
    if (typeof jkt !== 'string')
      throw refuse('invalid_token', 'The access token is not bound to a key. Send it as Authorization: Bearer.')
    const proof = readProof(request)
    if (proof === undefined)
      throw refuse('invalid_dpop_proof', 'The request must have exactly one header DPoP, with a proof.')
    const claims = await verifyProof(proof, jkt, refuse)
    const problem = findProblem(claims, { method: request.method, uri: findAddress(baseUrl, request), token })
    if (problem !== undefined) throw refuse('invalid_dpop_proof', problem)
    // Last, so that only the holder of a key fills the memory.
    if (!(await use(request, sha256(`${jkt}.${claims.jti}`))))
      throw refuse('invalid_dpop_proof', 'The DPoP proof was used before.')
  }
}

function readProof({ headers }: TokenRequest): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get('dpop') : (headers as Record<string, unknown>).dpop
  return typeof value === 'string' && value.length <= MAX_PROOF_LENGTH && COMPACT.test(value) ? value : undefined
}

async function verifyProof(proof: string, jkt: string, refuse: Refuse): Promise<JWTPayload> {
  async function readKey(header: JWTHeaderParameters) {
    const jwk: object = header.jwk ?? {}
    if (PRIVATE_MEMBERS.some((name) => name in jwk)) throw new TypeError('The jwk must be a public key.')
    // Before the signature: Latchkey has accepted this key, so that it is strong and takes no long time to verify.
    if ((await calculateJwkThumbprint(jwk)) !== jkt)
      throw refuse('invalid_token', 'The access token is bound to another key.')
    return EmbeddedJWK(header)
  }
  const options = { algorithms: PROOF_ALGORITHMS, typ: 'dpop+jwt', clockTolerance: PROOF_SECONDS }
  try {
    return (await jwtVerify(proof, readKey, options)).payload
  } catch (error) {
    throw error instanceof AuthError ? error : refuse('invalid_dpop_proof', 'The DPoP proof is not valid.', error)
  }
}

interface ProofTarget {
  method: string | undefined
  uri: string | undefined
  token: string
}

function findProblem({ htm, htu, ath, iat, jti }: JWTPayload, { method, uri, token }: ProofTarget): string | undefined {
  if (typeof htm !== 'string' || htm !== method) return 'The htm of the DPoP proof must be the method of the request.'
  if (uri === undefined || typeof htu !== 'string' || normalizeAddress(htu) !== uri)
    return `The htu of the DPoP proof must be the address of the request${uri === undefined ? '' : `: ${uri}`}.`
  if (ath !== sha256(token)) return 'The ath of the DPoP proof must be the hash of the access token.'
  if (typeof iat !== 'number' || Math.abs(Date.now() / 1000 - iat) > PROOF_SECONDS)
    return `The iat of the DPoP proof must be within ${PROOF_SECONDS} seconds of the time of this server.`
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
    return `The DPoP proof must have a jti of 1 to ${MAX_JTI_LENGTH} characters.`
  return undefined
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { baseUrl } from './service.ts'

export const keySet = createRemoteJWKSet(new URL(`${baseUrl}/api/oauth/jwks`))

type Claims = JWTPayload & { auth_time: number; [claim: string]: unknown }

/** Verifies an access token like a resource server (RFC 9068 §4) and returns its claims. */
export async function verifyAccessToken(token: string, audience?: string): Promise<Claims> {
  const { payload } = await jwtVerify(token, keySet, {
    issuer: baseUrl,
    algorithms: ['RS256'],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id'],
    ...(audience ? { audience } : {}),
  })
  return payload as Claims
}

/** Verifies an ID token like a client (OIDC Core §3.1.3.7) and returns its claims. */
export async function verifyIdToken(token: string, clientId: string): Promise<Claims> {
  const { payload, protectedHeader } = await jwtVerify(token, keySet, {
    issuer: baseUrl,
    audience: clientId,
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'exp', 'iat'],
  })
  expect(protectedHeader.kid, 'kid').toEqual(expect.any(String))
  expect(protectedHeader.typ, 'typ of an ID token').not.toBe('at+jwt')
  return payload as Claims
}

/** OIDC Core §3.1.3.6 for RS256. */
export const leftHalfHash = (token: string) =>
  createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')

export function decodeToken(token: string) {
  const [head = '', body = '', signature = ''] = token.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  return { header: decode(head), payload: decode(body), signature }
}

/** Builds a token from any header and payload. `signer` is a function, or the signature itself. */
export function buildToken(header: object, payload: object, signer: ((input: string) => Buffer) | string = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${typeof signer === 'string' ? signer : signer(input).toString('base64url')}`
}

/** A key pair that is unknown to the service. */
export const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const signWithForeignKey = (input: string) => sign('sha256', Buffer.from(input), foreignKey.privateKey)

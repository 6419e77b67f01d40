import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { base } from './service.ts'

export const keySet = createRemoteJWKSet(new URL(`${base}/api/oauth/jwks`))

type Claims = JWTPayload & { auth_time: number; [claim: string]: unknown }

/** Judges an access token as a resource server would (RFC 9068 §4) and returns its claims. */
export async function verifyAccessToken(token: string, audience?: string): Promise<Claims> {
  const { payload } = await jwtVerify(token, keySet, {
    issuer: base,
    algorithms: ['RS256'],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id'],
    ...(audience ? { audience } : {}),
  })
  return payload as Claims
}

/** Judges an ID token as the client would (OIDC Core §3.1.3.7) and returns its claims. */
export async function verifyIdToken(token: string, clientId: string): Promise<Claims> {
  const { payload, protectedHeader } = await jwtVerify(token, keySet, {
    issuer: base,
    audience: clientId,
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'exp', 'iat'],
  })
  expect(protectedHeader.kid, 'kid').toEqual(expect.any(String))
  expect(protectedHeader.typ, 'typ of an ID token').not.toBe('at+jwt')
  return payload as Claims
}

/** OIDC Core §3.1.3.6 for RS256. */
export const halfHash = (token: string) =>
  createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')

export function splitToken(token: string) {
  const [head = '', body = '', signature = ''] = token.split('.')
  const decode = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  return { header: decode(head), payload: decode(body), signature }
}

/** A token of any header and payload; without a signer it carries the signature given. */
export function joinToken(
  header: object,
  payload: object,
  signer: ((input: string) => Buffer) | string = '',
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${typeof signer === 'string' ? signer : signer(input).toString('base64url')}`
}

/** A key pair that the service has never seen. */
export const strangerKey = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const signAsStranger = (input: string) => sign('sha256', Buffer.from(input), strangerKey.privateKey)

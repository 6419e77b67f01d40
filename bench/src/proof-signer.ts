import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Creates DPoP proofs with a new key. */
export function createProofSigner(htm: string, htu: string): () => string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) })
  return () => {
    const claims = encode({ htm, htu, iat: Math.floor(Date.now() / 1000), jti: randomUUID() })
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
    return `${header}.${claims}.${sign('sha256', Buffer.from(`${header}.${claims}`), key).toString('base64url')}`
  }
}

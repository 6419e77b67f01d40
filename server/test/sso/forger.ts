import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A provider that says whatever the test wants in its ID tokens, and signs it with a key of its own or another. */
export interface Forger {
  issuer: string
  /** What the next token says beside what it must. */
  claims: Record<string, unknown>
  ownKey: boolean
  /** What it says about itself otherwise than it is. */
  metadata: Record<string, unknown>
  stop(): Promise<void>
}

export async function startForger(): Promise<Forger> {
  const own = await generateKeyPair('RS256')
  const another = await generateKeyPair('RS256')
  const forger: Forger = {
    issuer: '',
    claims: {},
    ownKey: true,
    metadata: {},
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const answers: Record<string, () => Promise<object> | object> = {
    '/.well-known/openid-configuration': () => ({
      issuer: forger.issuer,
      authorization_endpoint: `${forger.issuer}/authorize`,
      token_endpoint: `${forger.issuer}/token`,
      jwks_uri: `${forger.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...forger.metadata,
    }),
    '/jwks': async () => ({
      keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }],
    }),
    '/token': async () => ({
      access_token: 'opaque',
      token_type: 'Bearer',
      id_token: await new SignJWT({ iss: forger.issuer, aud: 'latchkey', ...forger.claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign((forger.ownKey ? own : another).privateKey),
    }),
  }
  const server = createServer(async (request, response) => {
    const path = Object.keys(answers).find((known) => request.url?.endsWith(known)) ?? ''
    const answer = await answers[path]?.()
    response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  forger.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return forger
}

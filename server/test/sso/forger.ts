import { createServer, type ServerResponse } from 'node:http'
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
  /** The path whose answer never ends. */
  endless: string | undefined
  /** How much of such an answer was sent, and whether somebody still listens. */
  flood: { bytes: number; flowing: boolean }
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
    endless: undefined,
    flood: { bytes: 0, flowing: false },
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
    '/userinfo': () => ({ sub: forger.claims.sub }),
  }
  const server = createServer(async (request, response) => {
    const path = Object.keys(answers).find((known) => request.url?.endsWith(known)) ?? ''
    if (path !== '' && path === forger.endless) return pour(response, forger)
    const answer = await answers[path]?.()
    response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  forger.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return forger
}

/** Sends an object that has more and more, a megabyte in some hundredths of a second. */
function pour(response: ServerResponse, forger: Forger): void {
  const drop = ' '.repeat(64 * 1024)
  const flood = { bytes: 0, flowing: true }
  forger.flood = flood
  response.writeHead(200, { 'Content-Type': 'application/json' }).write('{')
  const timer = setInterval(() => {
    flood.bytes += drop.length
    response.write(drop)
  }, 2)
  response.on('close', () => {
    clearInterval(timer)
    flood.flowing = false
  })
}

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A provider whose ID tokens the test controls. */
export interface FakeProvider {
  issuer: string
  /** Additional claims of the next ID token. */
  claims: Record<string, unknown>
  /** Whether ID tokens are signed with the published key. */
  ownKey: boolean
  /** Overrides of the provider metadata. */
  metadata: Record<string, unknown>
  /** The path whose response never ends. */
  endless: string | undefined
  /** The bytes sent of such a response, and whether the connection is still open. */
  stream: { bytes: number; isOpen: boolean }
  stop(): Promise<void>
}

export async function startFakeProvider(): Promise<FakeProvider> {
  const own = await generateKeyPair('RS256')
  const another = await generateKeyPair('RS256')
  const provider: FakeProvider = {
    issuer: '',
    claims: {},
    ownKey: true,
    metadata: {},
    endless: undefined,
    stream: { bytes: 0, isOpen: false },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const responses: Record<string, () => Promise<object> | object> = {
    '/.well-known/openid-configuration': () => ({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...provider.metadata,
    }),
    '/jwks': async () => ({
      keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }],
    }),
    '/token': async () => ({
      access_token: 'opaque',
      token_type: 'Bearer',
      id_token: await new SignJWT({ iss: provider.issuer, aud: 'latchkey', ...provider.claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign((provider.ownKey ? own : another).privateKey),
    }),
    '/userinfo': () => ({ sub: provider.claims.sub }),
  }
  const server = createServer(async (request, response) => {
    const path = Object.keys(responses).find((known) => request.url?.endsWith(known)) ?? ''
    if (path !== '' && path === provider.endless) return streamEndlessly(response, provider)
    const body = await responses[path]?.()
    response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return provider
}

/** Sends an endless JSON object, about a megabyte in 30 ms. */
function streamEndlessly(response: ServerResponse, provider: FakeProvider): void {
  const chunk = ' '.repeat(64 * 1024)
  const stream = { bytes: 0, isOpen: true }
  provider.stream = stream
  response.writeHead(200, { 'Content-Type': 'application/json' }).write('{')
  const timer = setInterval(() => {
    stream.bytes += chunk.length
    response.write(chunk)
  }, 2)
  response.on('close', () => {
    clearInterval(timer)
    stream.isOpen = false
  })
}

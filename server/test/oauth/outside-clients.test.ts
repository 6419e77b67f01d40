import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Config } from '../../src/config.ts'
import type { TestService } from '../support/service.ts'
import { authorize, startDemoService } from '../support/world.ts'
import { REDIRECT_WITH_PORT } from './document-clients.ts'
import {
  ASSERTION_TYPE,
  newKey,
  newKeyClient,
  post,
  requestToken,
  sign,
  type TestKey,
  validClaims,
} from './key-clients.ts'
import { post as postRegistration, REDIRECT_URI, register } from './registration/calls.ts'

// Requests that this service sends for clients that no administrator registered: nobody vouches for their addresses.

const LOOPBACK = { allowedNetworks: ['127.0.0.0/8'] }

let service: TestService
let key: TestKey
let internal: Awaited<ReturnType<typeof startInternal>>

beforeEach(async () => {
  key = await newKey('ES256')
  internal = await startInternal()
})
afterEach(async () => {
  await service?.close()
  internal.close()
})

const start = async (config: Partial<Config>) => {
  service = await startDemoService({
    config: {
      webhooks: LOOPBACK,
      clientDocuments: { mode: 'on', allowedHosts: [], deniedHosts: [] },
      clientRegistration: 'open',
      ...config,
    },
  })
}

/** A server in a private network. It publishes the key, except while it fails or waits. */
async function startInternal() {
  const state = { requests: 0, mode: 'works' as 'works' | 'fails' | 'waits' }
  const server = createServer((_request, response) => {
    state.requests++
    if (state.mode === 'fails') response.writeHead(500).end()
    if (state.mode === 'works') response.end(JSON.stringify({ keys: [key.publicJwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    port,
    uri: `http://127.0.0.1:${port}/keys`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

const registerWithKeys = (jwks_uri: string) =>
  register(service.url, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri })

/** The error of a token request with a code that does not exist: `invalid_grant` if the client is authenticated. */
async function authenticate(clientId: string): Promise<string | undefined> {
  const { body } = await post(`${service.url}/api/oauth/token`, {
    grant_type: 'authorization_code',
    code: 'x',
    redirect_uri: REDIRECT_URI,
    code_verifier: 'x'.repeat(43),
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await sign(key, validClaims(service.url, clientId)),
  })
  return body.error
}

const authenticateAdminClient = async (clientId: string) =>
  (await requestToken(service.url, await sign(key, validClaims(service.url, clientId)))).status

test('a document is not fetched from a network that is open to webhooks', async () => {
  await start({})
  for (const [client_id, problem] of [
    [`http://127.0.0.1:${internal.port}/secret`, 'must start with https://'],
    [`https://127.0.0.1:${internal.port}/secret`, 'must not lead into a network that is not public'],
    [`https://localhost:${internal.port}/secret`, 'cannot be fetched'],
  ] as const) {
    const { response } = await authorize(service.url, '', { client_id, redirect_uri: REDIRECT_WITH_PORT })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(problem)
  }
  expect(internal.requests).toBe(0)
})

test('the keys of a client that registered itself are not fetched from there, those of an administrator are', async () => {
  await start({})
  for (const jwks_uri of [internal.uri, internal.uri.replace('http:', 'https:')]) {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'private_key_jwt', jwks_uri }
    const { status, body } = await postRegistration(service.url, metadata)
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_client_metadata' })
  }
  // The rules may have been others when it was registered.
  const { client_id } = await registerWithKeys('https://app.example.com/keys')
  const change = service.ctx.db.updateTable('clients').set({ jwks_uri: internal.uri })
  await change.where('client_id', '=', client_id).execute()
  expect(await authenticate(client_id)).toBe('invalid_client')
  expect(internal.requests).toBe(0)
  const { clientId } = await newKeyClient(service.url, { jwksUri: internal.uri })
  expect(await authenticateAdminClient(clientId)).toBe(200)
  expect(internal.requests).toBe(1)
})

test('a failure for a client that registered itself is not a failure for one of an administrator', async () => {
  await start({ outsideClients: LOOPBACK })
  const { client_id } = await registerWithKeys(internal.uri)
  const { clientId } = await newKeyClient(service.url, { jwksUri: internal.uri })
  internal.mode = 'fails'
  expect(await authenticate(client_id)).toBe('invalid_client')
  internal.mode = 'works'
  expect(await authenticateAdminClient(clientId)).toBe(200)
  expect(await authenticate(client_id)).toBe('invalid_client')
  service.advance(31_000)
  expect(await authenticate(client_id)).toBe('invalid_grant')
})

test('at most 20 key sets are fetched at a time for clients that registered themselves', async () => {
  await start({ outsideClients: LOOPBACK })
  const { clientId } = await newKeyClient(service.url, { jwksUri: internal.uri })
  const clients = []
  for (let n = 0; n < 24; n++) clients.push(await registerWithKeys(`${internal.uri}/${n}`))
  internal.mode = 'waits'
  const answers = Promise.all(clients.map(({ client_id }) => authenticate(client_id)))
  await expect.poll(() => internal.requests).toBe(20)
  await expect.poll(() => service.logs.filter(({ error }) => error === 'invalid_client').length).toBe(4)
  internal.mode = 'works'
  expect(await authenticateAdminClient(clientId)).toBe(200)
  expect(internal.requests).toBe(21)
  internal.close()
  expect(new Set(await answers)).toEqual(new Set(['invalid_client']))
})

test('one network causes at most three requests for documents at a time', async () => {
  await start({ outsideClients: LOOPBACK })
  internal.mode = 'waits'
  const open = async (path: string) => {
    const client_id = `http://127.0.0.1:${internal.port}/${path}`
    const { response } = await authorize(service.url, '', { client_id, redirect_uri: REDIRECT_WITH_PORT })
    return response.text()
  }
  const waiting = [open('a'), open('b'), open('c')]
  await expect.poll(() => internal.requests).toBe(3)
  expect(await open('d')).toContain('too many documents are being fetched now')
  expect(internal.requests).toBe(3)
  internal.close()
  for (const html of await Promise.all(waiting)) expect(html).toContain('cannot be fetched')
  expect(await open('d')).toContain('cannot be fetched')
})

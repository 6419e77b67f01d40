import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { CALLBACK, changeClient, claimsOf, signIn, startDemoService } from '../support/world.ts'

/** Pushed authorization requests with the libraries of other people. */

let service: TestService
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  for (const clientId of ['demo-spa', 'demo-web'])
    await changeClient(service, clientId, { requirePushedRequests: true })
  await service.ctx.changes.waitUntilCurrent()
})
afterAll(() => service.close())

async function follow(address: URL): Promise<URL> {
  expect([...address.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  const { headers } = await fetch(address, { headers: { cookie }, redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

test.each([
  ['a public client', 'demo-spa', oidc.None()],
  ['a confidential client with its secret in the body', 'demo-web', oidc.ClientSecretPost('demo-web-secret')],
  ['a confidential client with HTTP Basic', 'demo-web', oidc.ClientSecretBasic('demo-web-secret')],
] as const)('openid-client: %s signs a user in', async (_name, clientId, authentication) => {
  const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks]
  const config = await oidc.discovery(new URL(url), clientId, undefined, authentication, { execute })
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
  const address = await oidc.buildAuthorizationUrlWithPAR(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email offline_access',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  const tokens = await oidc.authorizationCodeGrant(config, await follow(address), checks)
  expect(tokens.claims()).toMatchObject({ email: 'mia@acme.test', aud: clientId })
  const refused = await fetch(oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'email' }), {
    headers: { cookie },
    redirect: 'manual',
  })
  expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
})

test('openid-client: a refused request is an error with the code of its RFC', async () => {
  const execute = [oidc.allowInsecureRequests]
  const config = await oidc.discovery(new URL(url), 'demo-web', undefined, oidc.ClientSecretPost('wrong'), { execute })
  const push = oidc.buildAuthorizationUrlWithPAR(config, { redirect_uri: CALLBACK, scope: 'email' })
  await expect(push).rejects.toMatchObject({ error: 'invalid_client', status: 401 })
})

test('oauth4webapi: a public client signs a user in', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(url)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const client = { client_id: 'demo-spa' }
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const parameters = new URLSearchParams({
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const authentication = oauth.None()
  const pushed = await oauth.processPushedAuthorizationResponse(
    server,
    client,
    await oauth.pushedAuthorizationRequest(server, client, authentication, parameters, insecure),
  )
  expect(pushed.expires_in).toBe(60)
  const address = new URL(server.authorization_endpoint ?? '')
  address.search = new URLSearchParams({ client_id: 'demo-spa', request_uri: pushed.request_uri }).toString()
  const callback = oauth.validateAuthResponse(server, client, await follow(address), state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    callback,
    CALLBACK,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce })
  expect(claimsOf(tokens.id_token ?? '')).toMatchObject({ nonce, email: 'mia@acme.test' })
})

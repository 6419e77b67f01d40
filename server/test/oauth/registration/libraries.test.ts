import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTab } from '../../invitations/browser-tab.ts'
import type { TestService } from '../../support/service.ts'
import { admin, CALLBACK, claimsOf, signIn, startDemoService, userinfo } from '../../support/world.ts'
import { manage, newToken } from './calls.ts'

const SCOPE = 'openid profile email offline_access'
const METADATA = {
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  client_name: 'Reports of partners',
  scope: SCOPE,
}

let service: TestService
let cookie: string
let issuer: URL
beforeAll(async () => {
  service = await startDemoService({ config: { clientRegistration: 'token' } })
  cookie = await signIn(service.url, 'mia@acme.test')
  issuer = new URL(service.url)
})
afterAll(() => service.close())

/** Opens the authorization endpoint, consents, and returns the redirect. */
async function consent(address: URL): Promise<URL> {
  const tab = openTab(service.url, cookie)
  const page = await tab.open(address.pathname + address.search)
  expect(page.text).toContain('Allow Reports of partners?')
  let answer = await tab.submit({ decision: 'allow' })
  while (answer.location.startsWith('/')) answer = await tab.open(answer.location)
  return new URL(answer.location)
}

test.each<[string, (secret: string) => oidc.ClientAuth]>([
  ['none', () => oidc.None()],
  ['client_secret_basic', (secret) => oidc.ClientSecretBasic(secret)],
  ['client_secret_post', (secret) => oidc.ClientSecretPost(secret)],
])('openid-client, %s: registers with a token, signs in with PKCE, refreshes', async (method, toAuth) => {
  const { registrationToken: initialAccessToken } = await newToken(service.url)
  let auth = oidc.None()
  const config = await oidc.dynamicClientRegistration(
    issuer,
    { ...METADATA, token_endpoint_auth_method: method },
    (...input) => auth(...input),
    { execute: [oidc.allowInsecureRequests], initialAccessToken },
  )
  const registered = config.clientMetadata()
  expect(registered).toMatchObject({
    ...METADATA,
    token_endpoint_auth_method: method,
    client_id: expect.stringMatching(/^lk_[a-z2-7]{24}$/),
    registration_client_uri: `${service.url}/api/oauth/register/${registered.client_id}`,
  })
  expect(typeof registered.client_secret).toBe(method === 'none' ? 'undefined' : 'string')
  auth = toAuth(String(registered.client_secret))
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const callback = await consent(
    oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: SCOPE,
      state: 'st',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }),
  )
  const tokens = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState: 'st' })
  expect(tokens.claims()).toMatchObject({ aud: registered.client_id, email: 'mia@acme.test' })
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(await userinfo(service.url, renewed.access_token)).toBe(200)
})

test('oauth4webapi: registers with a key, signs in, updates and deletes the registration', async () => {
  const options = { [oauth.allowInsecureRequests]: true }
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  expect(server.token_endpoint_auth_methods_supported).toContain('private_key_jwt')
  const { privateKey, publicKey } = await oauth.generateKeyPair('ES256', { extractable: true })
  const jwk = await crypto.subtle.exportKey('jwk', publicKey)
  const { registrationToken: initialAccessToken } = await newToken(service.url)
  const metadata = { ...METADATA, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata as never, { ...options, initialAccessToken }),
  )
  const verifier = oauth.generateRandomCodeVerifier()
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: SCOPE,
    state: 'st',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const callback = await consent(new URL(`${server.authorization_endpoint}?${query}`))
  const parameters = oauth.validateAuthResponse(server, client, callback, 'st')
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.PrivateKeyJwt(privateKey),
      parameters,
      CALLBACK,
      verifier,
      options,
    ),
  )
  expect(claimsOf(tokens.access_token)).toMatchObject({ client_id: client.client_id })

  const registered = client as never as Parameters<typeof manage>[1]
  const read = await manage('GET', registered)
  expect([read.status, read.body]).toEqual([200, client])
  const changed = await manage('PUT', registered, { body: { ...read.body, client_name: 'Reports' } })
  expect([changed.status, changed.body]).toEqual([200, { ...read.body, client_name: 'Reports' }])
  expect(await userinfo(service.url, tokens.access_token)).toBe(200)
  expect((await manage('DELETE', registered)).status).toBe(204)
  expect(await userinfo(service.url, tokens.access_token)).toBe(401)
  expect((await manage('GET', registered)).status).toBe(401)
})

test('a token of such a client reads userinfo, and is no key to the API of the service', async () => {
  const { registrationToken: initialAccessToken } = await newToken(service.url)
  const config = await oidc.dynamicClientRegistration(
    issuer,
    { ...METADATA, token_endpoint_auth_method: 'none' },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests], initialAccessToken },
  )
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const callback = await consent(
    oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: `${SCOPE} admin licenses:write`,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }),
  )
  const { access_token, scope } = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier })
  expect(scope).toBe(SCOPE)
  const [application] = (
    await admin<{ applications: { id: string }[] }>(
      service.url,
      '/api/admin/applications?search=demo',
      undefined,
      'GET',
    )
  ).applications
  for (const path of [
    '/api/users/me',
    '/api/tenants',
    '/api/admin/clients',
    '/api/events',
    `/api/integration/licenses/apps/${application?.id}/users`,
    `/api/integration/licenses/check?applicationId=${application?.id}`,
  ]) {
    const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${access_token}` } })
    expect([path, response.status]).toEqual([path, 403])
  }
})

import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTab } from '../../invitations/browser-tab.ts'
import type { TestService } from '../../support/service.ts'
import { admin, CALLBACK, claimsOf, signIn, startDemoService, userinfo } from '../../support/world.ts'
import { readShownError } from '../shown-errors.ts'
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
  expect(page.text).toContain('registered itself here, and nobody has checked its name')
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

/** Registers a public client, and returns its configuration. */
async function newPublicClient(metadata: object = {}): Promise<oidc.Configuration> {
  const { registrationToken: initialAccessToken } = await newToken(service.url)
  return oidc.dynamicClientRegistration(
    issuer,
    { ...METADATA, token_endpoint_auth_method: 'none', ...metadata },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests], initialAccessToken },
  )
}

async function obtainTokens(config: oidc.Configuration, parameters: Record<string, string>) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const callback = await consent(
    oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...parameters,
    }),
  )
  return oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier })
}

test('a token of such a client reads userinfo, and is no key to the API of the service', async () => {
  const { access_token, scope } = await obtainTokens(await newPublicClient(), {
    scope: `${SCOPE} admin licenses:write`,
  })
  expect(scope).toBe(SCOPE)
  const [application] = (
    await admin<{ applications: { id: string }[] }>(service.url, '/api/admin/applications', undefined, 'GET')
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

test('such a client gets tokens for a resource that is open to it, and for no other', async () => {
  const { applications } = await admin<{ applications: { id: string }[] }>(
    service.url,
    '/api/admin/applications',
    undefined,
    'GET',
  )
  const resource = (name: string, allowDynamicClients: boolean) =>
    admin<{ uri: string }>(service.url, '/api/admin/resources', {
      applicationId: applications[0]?.id,
      name,
      uri: `https://api.example.com/${name}`,
      scopes: ['reports:read'],
      allowDynamicClients,
    })
  const [open, closed] = [await resource('open', true), await resource('closed', false)]
  const config = await newPublicClient({ scope: 'reports:read' })
  const tokens = await obtainTokens(config, { scope: 'reports:read', resource: open.uri })
  expect(claimsOf(tokens.access_token)).toMatchObject({ aud: open.uri, scope: 'reports:read' })
  expect(await userinfo(service.url, tokens.access_token)).toBe(401)
  const refused = await fetch(
    oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'reports:read', resource: closed.uri }),
    { headers: { cookie }, redirect: 'manual' },
  )
  expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_target')
})

test('PKCE with plain, or without a challenge, is refused for a public client', async () => {
  const config = await newPublicClient()
  const plain = { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }
  for (const challenge of [{}, plain] as Record<string, string>[]) {
    const address = oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid', ...challenge })
    const response = await fetch(address, { headers: { cookie }, redirect: 'manual' })
    expect(readShownError(await response.text())?.answer.error).toBe('invalid_request')
  }
})

test('without a valid hint, a logout does not redirect to an address that such a client registered', async () => {
  const evil = 'https://evil.test/'
  const config = await newPublicClient({ post_logout_redirect_uris: [evil] })
  const { client_id } = config.clientMetadata()
  for (const more of [{}, { client_id }] as Record<string, string>[]) {
    const query = new URLSearchParams({ post_logout_redirect_uri: evil, ...more })
    const response = await fetch(`${service.url}/api/oauth/logout?${query}`, { redirect: 'manual' })
    expect(response.headers.get('location')).toBeNull()
  }
  const { id_token = '' } = await obtainTokens(config, { scope: 'openid' })
  const query = new URLSearchParams({ post_logout_redirect_uri: evil, id_token_hint: id_token })
  const response = await fetch(`${service.url}/api/oauth/logout?${query}`, { redirect: 'manual' })
  expect(response.headers.get('location')).toBe(evil)
})

test('the consent page escapes the name that the client chose, and says where the answer goes', async () => {
  const config = await newPublicClient({
    client_name: 'Your <b>bank</b>',
    redirect_uris: ['https://app.example.com/callback', CALLBACK],
  })
  const view = (redirect_uri: string) => {
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
    const address = oidc.buildAuthorizationUrl(config, { redirect_uri, scope: 'openid', ...challenge })
    return openTab(service.url, cookie).open(address.pathname + address.search)
  }
  const { html, text } = await view('https://app.example.com/callback')
  expect(html).toContain('Allow Your &lt;b')
  expect(html).not.toContain('<b>bank')
  expect(text).toContain('The answer goes to https://app.example.com. Allow this only if you trust that address.')
  expect((await view(CALLBACK)).text).toContain('Allow this only if you have just started it yourself.')
})

import { jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient, newMachine } from '../support/admin.ts'
import type { Browser } from '../support/browser.ts'
import { keySet, verifyAccessToken } from '../support/jwt.ts'
import { isSignedIn } from '../support/logout.ts'
import { ALL_SCOPES } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, CALLBACK, POST_LOGOUT_URI } from '../support/service.ts'

// Two popular client libraries, used as documented. The only extra option allows plain HTTP.
const issuer = new URL(baseUrl)
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const machine = await newMachine(application, ['reports:read'])
const someone = await newPerson()

async function locationOf(browser: Browser, url: URL): Promise<URL> {
  const { headers, status } = await browser.get(url.href)
  expect([302, 303]).toContain(status)
  return new URL(headers.get('location') ?? '')
}

async function verifyAll(tokens: { access_token: string; id_token?: string | undefined }, clientId: string) {
  await verifyAccessToken(tokens.access_token, application)
  await jwtVerify(tokens.id_token ?? '', keySet, {
    issuer: baseUrl,
    audience: clientId,
    algorithms: ['RS256'],
  })
}

describe('openid-client', () => {
  async function configure(clientId: string, authentication: oidc.ClientAuth) {
    const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks]
    return oidc.discovery(issuer, clientId, undefined, authentication, { execute })
  }

  async function signIn(config: oidc.Configuration, browser: Browser, method: 'S256' | 'plain') {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
    const challenge = method === 'S256' ? await oidc.calculatePKCECodeChallenge(pkceCodeVerifier) : pkceCodeVerifier
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: ALL_SCOPES,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: challenge,
      code_challenge_method: method,
    })
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
    return oidc.authorizationCodeGrant(config, await locationOf(browser, url), checks)
  }

  test.each([
    ['a public client with S256', spa.clientId, oidc.None(), 'S256'],
    ['a public client with plain', spa.clientId, oidc.None(), 'plain'],
    ['a confidential client with Basic', web.clientId, oidc.ClientSecretBasic(web.clientSecret), 'S256'],
    ['a confidential client with post', web.clientId, oidc.ClientSecretPost(web.clientSecret), 'S256'],
  ] as const)(
    'openid-client, %s: sign-in, userinfo, refresh, revocation, logout',
    async (_, id, authentication, method) => {
      const config = await configure(id, authentication)
      const browser = await someone.signIn()
      const tokens = await signIn(config, browser, method)
      await verifyAll(tokens, id)
      const sub = tokens.claims()?.sub ?? ''
      expect(await oidc.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
        sub,
        email: someone.email,
      })

      const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
      await verifyAll(renewed, id)
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token)

      await oidc.tokenRevocation(config, renewed.refresh_token ?? '')
      const gone = oidc.refreshTokenGrant(config, renewed.refresh_token ?? '')
      await expect(gone).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })

      const parameters = {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: POST_LOGOUT_URI,
        state: 'bye',
      }
      const goodbye = await locationOf(browser, oidc.buildEndSessionUrl(config, parameters))
      expect(goodbye.href).toBe(`${POST_LOGOUT_URI}?state=bye`)
      expect(await isSignedIn(browser, spa)).toBe(false)
    },
  )

  test('openid-client: a denied sign-in is reported as its error', async () => {
    const config = await configure(spa.clientId, oidc.None())
    const parameters = { redirect_uri: CALLBACK, scope: 'openid', prompt: 'none', nonce: 'n', state: 's' }
    const verifier = oidc.randomPKCECodeVerifier()
    const code_challenge = await oidc.calculatePKCECodeChallenge(verifier)
    const pkce = { code_challenge, code_challenge_method: 'S256' }
    const url = oidc.buildAuthorizationUrl(config, { ...parameters, ...pkce })
    const response = await fetch(url, { redirect: 'manual' })
    const callback = new URL(response.headers.get('location') ?? '')
    const checks = { expectedState: 's', expectedNonce: 'n', pkceCodeVerifier: verifier }
    const attempt = oidc.authorizationCodeGrant(config, callback, checks)
    await expect(attempt).rejects.toMatchObject({ error: 'login_required' })
  })

  test.each([
    ['Basic', oidc.ClientSecretBasic(machine.clientSecret)],
    ['post', oidc.ClientSecretPost(machine.clientSecret)],
  ])('openid-client: a machine gets its token by %s and introspects it', async (_, authentication) => {
    const config = await configure(machine.clientId, authentication)
    const { access_token, scope } = await oidc.clientCredentialsGrant(config, { scope: 'reports:read' })
    expect(scope).toBe('reports:read')
    await verifyAccessToken(access_token, application)
    // Introspection accepts Basic only.
    const asker = await configure(web.clientId, oidc.ClientSecretBasic(web.clientSecret))
    expect(await oidc.tokenIntrospection(asker, access_token)).toMatchObject({
      active: true,
      sub: machine.clientId,
    })
    expect(await oidc.tokenIntrospection(asker, 'unknown')).toEqual({ active: false })
  })
})

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }

  const discover = async (algorithm: 'oidc' | 'oauth2' = 'oidc') =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }))

  async function signIn(as: oauth.AuthorizationServer, client: oauth.Client, auth: oauth.ClientAuth, browser: Browser) {
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint ?? '')
    const parameters = {
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: ALL_SCOPES,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const callbackParameters = oauth.validateAuthResponse(as, client, await locationOf(browser, url), state)
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      callbackParameters,
      CALLBACK,
      verifier,
      insecure,
    )
    const checks = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, checks)
    await oauth.validateApplicationLevelSignature(as, response, insecure)
    return tokens
  }

  test.each([
    ['a public client', spa.clientId, oauth.None()],
    ['a confidential client with Basic', web.clientId, oauth.ClientSecretBasic(web.clientSecret)],
    ['a confidential client with post', web.clientId, oauth.ClientSecretPost(web.clientSecret)],
  ])('oauth4webapi, %s: sign-in, userinfo, refresh, revocation', async (_, client_id, auth) => {
    const as = await discover()
    const client: oauth.Client = { client_id }
    const tokens = await signIn(as, client, auth, await someone.signIn())
    await verifyAll(tokens, client_id)
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? ''
    const info = await oauth.userInfoRequest(as, client, tokens.access_token, insecure)
    expect(await oauth.processUserInfoResponse(as, client, sub, info)).toMatchObject({
      sub,
      email: someone.email,
    })

    const again = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', insecure)
    const renewed = await oauth.processRefreshTokenResponse(as, client, again)
    await verifyAll(renewed, client_id)

    const end = await oauth.revocationRequest(as, client, auth, renewed.refresh_token ?? '', insecure)
    await oauth.processRevocationResponse(end)
    const lateResponse = await oauth.refreshTokenGrantRequest(as, client, auth, renewed.refresh_token ?? '', insecure)
    const refused = oauth.processRefreshTokenResponse(as, client, lateResponse)
    await expect(refused).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('oauth4webapi: a machine gets a token that a resource server accepts, and introspects it', async () => {
    const as = await discover('oauth2')
    const client: oauth.Client = { client_id: machine.clientId }
    const auth = oauth.ClientSecretBasic(machine.clientSecret)
    const granted = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope: 'reports:read' }, insecure)
    const { access_token } = await oauth.processClientCredentialsResponse(as, client, granted)
    const headers = { authorization: `Bearer ${access_token}` }
    const request = new Request('https://api.blackbox.test/reports', { headers })
    const claims = await oauth.validateJwtAccessToken(as, request, application, insecure)
    expect(claims).toMatchObject({ sub: machine.clientId, scope: 'reports:read' })
    const introspectionResponse = await oauth.introspectionRequest(as, client, auth, access_token, insecure)
    const introspection = await oauth.processIntrospectionResponse(as, client, introspectionResponse)
    expect(introspection).toMatchObject({ active: true, client_id: machine.clientId })
  })
})

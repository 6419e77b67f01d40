import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../../support/service.ts'
import { authorize, authorizeUrl, CALLBACK, claimsOf, signIn, startDemoService, VERIFIER } from '../../support/world.ts'
import { callWith, MACHINE, newClient, newKey, newProof, newResourceProof, requestTokens } from './proofs.ts'

const SCOPE = 'openid profile email offline_access'

describe.each(['OPTIONAL', 'REQUIRED'] as const)('with DPOP_NONCE=%s', (dpopNonce) => {
  let service: TestService
  let there: TestService
  let cookie: string

  beforeAll(async () => {
    service = await startDemoService({ config: { dpopNonce } })
    there = await startService({ sameDatabaseAs: service, config: { dpopNonce } })
    cookie = await signIn(service.url, 'mia@acme.test')
  })
  afterAll(async () => {
    await there.close()
    await service.close()
  })

  test.each(['ES256', 'PS256', 'RS256', 'Ed25519'])(
    'openid-client, %s: sign-in with a bound code, userinfo, API, refresh',
    async (alg) => {
      const issuer = new URL(service.url)
      const execute = [oidc.allowInsecureRequests]
      const { clientId } = await newClient(service.url, { kind: 'SPA', requireDpop: true })
      const config = await oidc.discovery(issuer, clientId, undefined, oidc.None(), { execute })
      const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
      const dpop_jkt = await DPoP.calculateThumbprint()
      const { location } = await authorize(service.url, cookie, { client_id: clientId, dpop_jkt })
      const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'st', expectedNonce: 'n' }
      const tokens = await oidc.authorizationCodeGrant(config, new URL(location), checks, undefined, { DPoP })
      expect(tokens.token_type).toBe('dpop')
      expect(claimsOf(tokens.access_token).cnf).toEqual({ jkt: dpop_jkt })
      const sub = tokens.claims()?.sub ?? ''
      expect(await oidc.fetchUserInfo(config, tokens.access_token, sub, { DPoP })).toMatchObject({ sub })
      const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP })
      expect(claimsOf(renewed.access_token).cnf).toEqual({ jkt: dpop_jkt })
      await expect(oidc.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_dpop_proof',
      })
    },
  )

  test('oauth4webapi: sign-in, userinfo, our own API', async () => {
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(service.url)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
    const { clientId: client_id, clientSecret } = await newClient(service.url, {
      kind: 'WEB',
      scopes: SCOPE.split(' '),
    })
    const client: oauth.Client = { client_id }
    const authentication = oauth.ClientSecretBasic(clientSecret)
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const withProof = { ...options, DPoP }
    /** As the documentation says: repeat the request if the service demands a nonce. */
    const request = async () => {
      const { location } = await authorize(service.url, cookie, { client_id })
      const parameters = oauth.validateAuthResponse(server, client, new URL(location), 'st')
      const send = () =>
        oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, CALLBACK, VERIFIER, withProof)
      const process = async () =>
        oauth.processAuthorizationCodeResponse(server, client, await send(), {
          expectedNonce: 'n',
          requireIdToken: true,
        })
      return process().catch((error) => (oauth.isDPoPNonceError(error) ? process() : Promise.reject(error)))
    }
    const tokens = await request()
    expect(tokens.token_type).toBe('dpop')
    const read = () => oauth.userInfoRequest(server, client, tokens.access_token, withProof)
    const userInfo = await oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, await read())
    expect(userInfo.email).toBe('mia@acme.test')
    const tenants = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL('/api/tenants', service.url),
      undefined,
      undefined,
      withProof,
    )
    expect(tenants.status).toBe(200)
    expect(authorizeUrl(service.url)).toContain(service.url)
  })

  test.runIf(dpopNonce === 'REQUIRED')('a nonce is demanded, valid on every node, and expires', async () => {
    const { url } = service
    const key = await newKey()
    const withNonce = async (nonce: unknown) => newProof(url, key, { claims: { nonce } })
    for (const nonce of [undefined, '', 'guess', 7, 'A'.repeat(100)]) {
      const { status, headers, body } = await requestTokens(url, MACHINE, await withNonce(nonce))
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'use_dpop_nonce' })
      expect(headers.get('dpop-nonce')).toMatch(/^[\w-]{50,}$/)
    }
    const { headers } = await requestTokens(url, MACHINE, await withNonce(undefined))
    const nonce = headers.get('dpop-nonce')
    for (const node of [url, there.url]) {
      const { status, headers: next } = await requestTokens(node, MACHINE, await withNonce(nonce))
      expect(status).toBe(200)
      expect(next.get('dpop-nonce')).toBeTruthy()
    }
    const { body } = await requestTokens(url, MACHINE, await withNonce(nonce))
    const path = '/api/integration/licenses/check'
    const proof = await newResourceProof(url, key, { path, token: body.access_token })
    const refused = await callWith(url, path, { scheme: 'DPoP', token: body.access_token, proof })
    expect(refused.challenge).toContain('DPoP error="use_dpop_nonce"')
    expect(refused.headers.get('dpop-nonce')).toBeTruthy()
    there.advance(6 * 60_000)
    const late = await newProof(url, key, { claims: { nonce, iat: Math.floor(Date.now() / 1000) + 360 } })
    expect((await requestTokens(there.url, MACHINE, late)).body.error).toBe('use_dpop_nonce')
  })
})

import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'
import { authorizeUrl, CALLBACK, claimsOf, signIn, startDemoService, VERIFIER } from '../../support/world.ts'
import { codeForm, type Key, newClient, newKey, newProof, requestTokens } from './proofs.ts'

let service: TestService
let there: TestService
let url: string
let cookie: string
let key: Key
let other: Key

beforeAll(async () => {
  service = await startDemoService()
  there = await startService({ sameDatabaseAs: service })
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  key = await newKey()
  other = await newKey()
})
afterAll(async () => {
  await there.close()
  await service.close()
})

const proofOf = (owner: Key, claims: Record<string, unknown> = {}) =>
  newProof(url, owner, { claims: { htu: `${url}/api/oauth/par`, ...claims } })

/** Pushes a request with these values of the DPoP header. */
async function push(proofs: string[], parameters: Record<string, string> = {}, node = url) {
  const response = await fetch(`${node}/api/oauth/par`, {
    method: 'POST',
    headers: proofs.map((proof): [string, string] => ['DPoP', proof]),
    body: new URL(authorizeUrl(url, parameters)).searchParams,
  })
  const body = (await response.json()) as { request_uri?: string; error?: string }
  return { status: response.status, headers: response.headers, body }
}

/** Uses a pushed request. */
async function codeOf({ request_uri = '' }: { request_uri?: string }) {
  const query = new URLSearchParams({ client_id: 'demo-spa', request_uri })
  const response = await fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? undefined
}

async function expectBound(code: string | undefined, owner: Key) {
  const stranger = await newKey()
  for (const proofs of [[], [await newProof(url, stranger)]]) {
    const { status, body } = await requestTokens(url, codeForm(code), ...proofs)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  }
  const { body } = await requestTokens(url, codeForm(code), await newProof(url, owner))
  expect(claimsOf(body.access_token).cnf).toEqual({ jkt: owner.jkt })
}

test('a proof binds the code to its key', async () => {
  const { status, body } = await push([await proofOf(key)])
  expect(status).toBe(201)
  await expectBound(await codeOf(body), key)
})

test('a proof with the dpop_jkt of the same key, and a dpop_jkt without a proof, bind the code too', async () => {
  for (const proofs of [[await proofOf(key)], []]) {
    const { status, body } = await push(proofs, { dpop_jkt: key.jkt })
    expect(status).toBe(201)
    await expectBound(await codeOf(body), key)
  }
})

test('without a proof the code is not bound', async () => {
  const { body } = await push([])
  const tokens = await requestTokens(url, codeForm(await codeOf(body)))
  expect(tokens.body.token_type).toBe('Bearer')
})

const AN_HOUR_AGO = Math.floor(Date.now() / 1000) - 3600

test.each<[string, () => Promise<string[]>, Record<string, string>?]>([
  ['garbage', async () => ['garbage']],
  ['two proofs', async () => [await proofOf(key), await proofOf(key)]],
  ['an old proof', async () => [await proofOf(key, { iat: AN_HOUR_AGO })]],
  ['an expired proof', async () => [await proofOf(key, { exp: AN_HOUR_AGO })]],
  ['a proof for the token endpoint', async () => [await newProof(url, key)]],
  ['a proof of another key than dpop_jkt', async () => [await proofOf(key)], { dpop_jkt: 'a'.repeat(43) }],
  ['a proof with an invalid dpop_jkt', async () => [await proofOf(key)], { dpop_jkt: 'short' }],
])('%s is refused, and nothing is stored', async (_, create, parameters) => {
  const count = async () => (await service.ctx.db.selectFrom('pushed_requests').select('hash').execute()).length
  const before = await count()
  const { status, body } = await push(await create(), parameters)
  expect(status).toBe(400)
  expect(body).toEqual({ error: 'invalid_dpop_proof', error_description: expect.any(String) })
  expect(await count()).toBe(before)
})

test('a proof is accepted once, on all nodes', async () => {
  const proof = await proofOf(key)
  expect((await push([proof])).status).toBe(201)
  for (const node of [url, there.url]) {
    const { status, body } = await push([proof], {}, node)
    expect([status, body.error]).toEqual([400, 'invalid_dpop_proof'])
  }
})

test('a request that is refused for another reason does not use up its proof', async () => {
  const proof = await proofOf(key)
  expect((await push([proof], { nonce: '' })).body.error).toBe('invalid_request')
  expect((await push([proof])).status).toBe(201)
})

test('a proof costs one statement', async () => {
  const watch = await watchStatements(service)
  const proof = await proofOf(other)
  expect(await watch.count(() => push([]))).toBe(2)
  expect(await watch.count(() => push([proof]))).toBe(3)
  await watch.close()
})

describe.each(['OPTIONAL', 'REQUIRED'] as const)('openid-client, with DPOP_NONCE=%s', (dpopNonce) => {
  let node: TestService

  beforeAll(async () => {
    node = await startDemoService({ config: { dpopNonce } })
  })
  afterAll(() => node.close())

  test('a pushed request binds the code', async () => {
    const { clientId } = await newClient(node.url, { kind: 'SPA', requirePushedRequests: true })
    const discover = () =>
      oidc.discovery(new URL(node.url), clientId, undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] })
    await expect
      .poll(async () => (await discover()).serverMetadata().pushed_authorization_request_endpoint)
      .toBe(`${node.url}/api/oauth/par`)
    const config = await discover()
    const [DPoP, stranger] = [
      oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256')),
      oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256')),
    ]
    const parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
      code_challenge_method: 'S256',
      state: 'st',
      nonce: 'n',
    }
    const address = await oidc.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
    const response = await fetch(address, {
      headers: { cookie: await signIn(node.url, 'mia@acme.test') },
      redirect: 'manual',
    })
    const location = new URL(response.headers.get('location') ?? '')
    const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'st', expectedNonce: 'n' }
    for (const options of [{}, { DPoP: stranger }]) {
      await expect(oidc.authorizationCodeGrant(config, location, checks, undefined, options)).rejects.toMatchObject({
        error: 'invalid_grant',
      })
    }
    const tokens = await oidc.authorizationCodeGrant(config, location, checks, undefined, { DPoP })
    expect(claimsOf(tokens.access_token).cnf).toEqual({ jkt: await DPoP.calculateThumbprint() })
  })

  test.runIf(dpopNonce === 'REQUIRED')('a proof without a nonce gets one', async () => {
    const proof = await newProof(node.url, key, { claims: { htu: `${node.url}/api/oauth/par` } })
    const { status, headers, body } = await push([proof], {}, node.url)
    expect([status, body.error]).toEqual([400, 'use_dpop_nonce'])
    expect(headers.get('dpop-nonce')).toMatch(/^[\w-]{50,}$/)
  })
})

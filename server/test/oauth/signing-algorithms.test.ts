import { hash } from 'node:crypto'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { sql } from 'kysely'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNeededKeys } from '../../src/applications/signing-algorithm.ts'
import type { SigningAlgorithm } from '../../src/lib/signer.ts'
import { maintainKeys } from '../../src/oauth/signing-keys/service.ts'
import { startService, type TestService } from '../support/service.ts'
import { admin, CALLBACK, claimsOf, introspect, refresh, signIn, startDemoService, userinfo } from '../support/world.ts'

let service: TestService
let other: TestService
let url: string
let cookie: string
let applicationId: string

beforeAll(async () => {
  service = await startDemoService()
  other = await startService({ sameDatabaseAs: service })
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  applicationId = await findApplicationOf(service, 'demo-spa')
})
afterAll(async () => {
  await other.close()
  await service.close()
})

async function findApplicationOf({ ctx }: TestService, clientId: string): Promise<string> {
  const client = ctx.db.selectFrom('clients').select('application_id').where('client_id', '=', clientId)
  return (await client.executeTakeFirstOrThrow()).application_id
}

const changesAnnounced = async () => {
  for (const { ctx } of [service, other]) await ctx.changes.waitUntilCurrent()
}

/** Changes the algorithm, and runs the job that this queues. */
async function change(signingAlgorithm: SigningAlgorithm, id = applicationId): Promise<void> {
  await admin(url, `/api/admin/applications/${id}`, { signingAlgorithm }, 'PATCH')
  await createNeededKeys.run(service.ctx, {})
  await changesAnnounced()
}

async function activateKeys(): Promise<void> {
  for (const node of [service, other]) node.advance(15 * 60_000)
  await changesAnnounced()
}

const algorithmOf = (token = '') => decodeProtectedHeader(token).alg
const readAlgorithms = async (at = url) =>
  ((await (await fetch(`${at}/.well-known/openid-configuration`)).json()) as Record<string, unknown>)
    .id_token_signing_alg_values_supported

/** Signs in with openid-client, which verifies the signature of the ID token with the key set. */
async function signInWith(algorithm: SigningAlgorithm) {
  const metadata = { id_token_signed_response_alg: algorithm }
  const config = await oidc.discovery(new URL(url), 'demo-spa', metadata, oidc.None(), {
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  })
  const [verifier, nonce, state] = [oidc.randomPKCECodeVerifier(), oidc.randomNonce(), oidc.randomState()]
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
    state,
  })
  const response = await fetch(address, { headers: { cookie }, redirect: 'manual' })
  return oidc.authorizationCodeGrant(config, new URL(response.headers.get('location') ?? ''), {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    expectedState: state,
    idTokenExpected: true,
  })
}

const HASHES = { RS256: 'sha256', PS256: 'sha256', ES256: 'sha256', EdDSA: 'sha512' } as const

test.each(['PS256', 'ES256', 'EdDSA'] as const)(
  '%s: sign-in, userinfo, introspection, refresh, logout',
  async (alg) => {
    await change('RS256')
    const before = await signInWith('RS256')
    await change(alg)
    // The new key is published, but does not sign yet.
    const waiting = await signInWith('RS256')
    expect([algorithmOf(waiting.access_token), algorithmOf(waiting.id_token)]).toEqual(['RS256', 'RS256'])
    await activateKeys()

    const tokens = await signInWith(alg)
    expect([algorithmOf(tokens.access_token), algorithmOf(tokens.id_token)]).toEqual([alg, alg])
    const digest = hash(HASHES[alg], tokens.access_token, 'buffer')
    expect(claimsOf(tokens.id_token ?? '').at_hash).toBe(digest.toString('base64url', 0, digest.length / 2))
    const keys = createRemoteJWKSet(new URL(`${other.url}/api/oauth/jwks`))
    await jwtVerify(tokens.access_token, keys, {
      algorithms: [alg],
      issuer: url,
      audience: applicationId,
      typ: 'at+jwt',
      currentDate: service.ctx.now(),
    })
    for (const at of [url, other.url]) {
      expect(await userinfo(at, tokens.access_token)).toBe(200)
      expect(await introspect(at, tokens.access_token)).toMatchObject({ active: true, aud: applicationId })
      const tenants = await fetch(`${at}/api/tenants`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
      expect(tenants.status).toBe(200)
    }
    const refreshed = await refresh(url, before.refresh_token ?? '')
    expect([algorithmOf(refreshed.body.access_token), algorithmOf(refreshed.body.id_token)]).toEqual([alg, alg])

    const query = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://localhost:8080/',
      state: 'bye',
    })
    const logout = await fetch(`${url}/api/oauth/logout?${query}`, { headers: { cookie }, redirect: 'manual' })
    expect(logout.headers.get('location')).toBe('http://localhost:8080/?state=bye')
    cookie = await signIn(url, 'mia@acme.test')
  },
)

test('tokens stay valid on all nodes when the application changes to another algorithm', async () => {
  await change('ES256')
  await activateKeys()
  const tokens = await signInWith('ES256')
  await change('RS256')
  const later = await signInWith('RS256')
  expect([algorithmOf(tokens.access_token), algorithmOf(later.access_token)]).toEqual(['ES256', 'RS256'])
  for (const { access_token } of [tokens, later]) {
    for (const at of [url, other.url]) expect(await userinfo(at, access_token)).toBe(200)
  }
})

test('the metadata lists an algorithm only while an application uses it', async () => {
  await change('RS256')
  await maintainKeys.run(service.ctx, {})
  await changesAnnounced()
  expect([await readAlgorithms(), await readAlgorithms(other.url)]).toEqual([['RS256'], ['RS256']])
  const draft = { name: 'Other', signingAlgorithm: 'EdDSA' }
  const created = await admin<{ id: string; signingAlgorithm: string }>(url, '/api/admin/applications', draft)
  expect(created.signingAlgorithm).toBe('EdDSA')
  await changesAnnounced()
  expect([await readAlgorithms(), await readAlgorithms(other.url)]).toEqual([
    ['RS256', 'EdDSA'],
    ['RS256', 'EdDSA'],
  ])
  await change('RS256', created.id)
  expect([await readAlgorithms(), await readAlgorithms(other.url)]).toEqual([['RS256'], ['RS256']])
})

test('until the new key signs, the algorithm before goes on, and is listed', async () => {
  const fresh = await startDemoService()
  const path = `/api/admin/applications/${await findApplicationOf(fresh, 'demo-machine')}`
  const set = async (signingAlgorithm: SigningAlgorithm) => {
    await admin(fresh.url, path, { signingAlgorithm }, 'PATCH')
    await createNeededKeys.run(fresh.ctx, {})
    await fresh.ctx.changes.waitUntilCurrent()
  }
  const body = { grant_type: 'client_credentials', client_id: 'demo-machine', client_secret: 'demo-machine-secret' }
  const request = async () => {
    const response = await fetch(`${fresh.url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(body) })
    return algorithmOf(((await response.json()) as { access_token: string }).access_token)
  }
  await set('PS256')
  expect(await request()).toBe('RS256')
  fresh.advance(15 * 60_000)
  expect(await request()).toBe('PS256')
  await set('ES256')
  await set('EdDSA')
  expect(await request()).toBe('PS256')
  expect(await readAlgorithms(fresh.url)).toEqual(['RS256', 'EdDSA', 'PS256'])
  fresh.advance(15 * 60_000)
  expect(await request()).toBe('EdDSA')
  await maintainKeys.run(fresh.ctx, {})
  await fresh.ctx.changes.waitUntilCurrent()
  expect(await readAlgorithms(fresh.url)).toEqual(['RS256', 'EdDSA'])
  // A key that signs for nobody now can sign at once when it is needed again.
  await set('ES256')
  expect(await request()).toBe('ES256')
  await fresh.close()
})

test('a change of the algorithm queues the job that creates the key', async () => {
  const count = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from graphile_worker.jobs where task_identifier = ${createNeededKeys.name}
    `.execute(service.ctx.db)
    return rows[0]?.count ?? 0
  }
  const before = await count()
  await admin(url, `/api/admin/applications/${applicationId}`, { signingAlgorithm: 'PS256' }, 'PATCH')
  expect(await count()).toBe(before + 1)
  await admin(url, `/api/admin/applications/${applicationId}`, { signingAlgorithm: 'PS256', name: 'Same' }, 'PATCH')
  expect(await count()).toBe(before + 1)
})

test.each(['HS256', 'none', 'RS512', '', null])('the algorithm %j is refused', async (signingAlgorithm) => {
  const path = `/api/admin/applications/${applicationId}`
  await expect(admin(url, path, { signingAlgorithm }, 'PATCH')).rejects.toThrow('422')
})

import { createHash, randomUUID } from 'node:crypto'
import { decodeJwt, exportJWK, importJWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { admin, CALLBACK, introspect, signIn, startDemoService, VERIFIER } from '../support/world.ts'
import { newProof, newKey as newProofKey, newResourceProof, type Key as ProofKey } from './dpop/proofs.ts'
import { ASSERTION_TYPE, newKey, sign, type TestKey, validClaims } from './key-clients.ts'

// A client with the security profile FAPI2.

interface FapiClient {
  id: string
  clientId: string
  applicationId: string
  [setting: string]: unknown
}

let service: TestService
let there: TestService
let url: string
let cookie: string
let key: TestKey
let rsaKey: TestKey
let proofKey: ProofKey
let client: FapiClient

beforeAll(async () => {
  service = await startDemoService()
  there = await startService({ sameDatabaseAs: service })
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  key = await newKey('ES256')
  rsaKey = await newKey('PS256')
  proofKey = await newProofKey('ES256')
  client = await newFapiClient()
})
afterAll(async () => {
  await there.close()
  await service.close()
})
beforeEach(() => {
  service.logs.length = 0
})

const newApplication = async (signingAlgorithm = 'ES256') =>
  (await admin<{ id: string }>(url, '/api/admin/applications', { name: `FAPI ${randomUUID()}`, signingAlgorithm })).id

/** RSA keys have no alg here, so that only the profile refuses RS256. */
const jwks = () => ({ keys: [key.publicJwk, { ...rsaKey.publicJwk, alg: undefined }] })

const draft = (applicationId: string, settings: object = {}) => ({
  applicationId,
  kind: 'WEB',
  name: 'Bank',
  redirectUris: [CALLBACK],
  scopes: ['openid', 'email', 'offline_access'],
  securityProfile: 'FAPI2',
  jwks: jwks(),
  ...settings,
})

const newFapiClient = async (settings: object = {}, applicationId?: string): Promise<FapiClient> =>
  admin(url, '/api/admin/clients', draft(applicationId ?? (await newApplication()), settings))

const change = (id: string, settings: object) => admin<FapiClient>(url, `/api/admin/clients/${id}`, settings, 'PATCH')

interface Sent {
  assertionKey?: TestKey
  proof?: string | null
  node?: string
}

/** Sends a form with an assertion and a proof. */
async function send(path: string, form: Record<string, string>, sent: Sent = {}) {
  const { assertionKey = key, node = url } = sent
  const assertion = await sign(assertionKey, validClaims(url, client.clientId))
  const proof = sent.proof === undefined ? await newProof(url, proofKey, { claims: { htu: url + path } }) : sent.proof
  const body = new URLSearchParams({ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion, ...form })
  const response = await fetch(node + path, { method: 'POST', headers: proof === null ? {} : { dpop: proof }, body })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const challenge = createHash('sha256').update(VERIFIER).digest('base64url')
const REQUEST = {
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid email offline_access',
  state: 'st',
  tenant: 'acme',
  nonce: 'n',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}

const push = (changes: Record<string, string> = {}, sent: Sent = {}) =>
  send('/api/oauth/par', { ...REQUEST, ...changes }, sent)

async function open(parameters: Record<string, string>) {
  const query = new URLSearchParams({ client_id: client.clientId, ...parameters })
  const response = await fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
  return Object.fromEntries(new URL(response.headers.get('location') ?? url).searchParams) as Record<string, string>
}

async function obtainCode(): Promise<string> {
  const { body } = await push()
  return (await open({ request_uri: body.request_uri ?? '' })).code ?? ''
}

const redeem = (code: string, sent: Sent = {}) => {
  const grant = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER, code }
  return send('/api/oauth/token', grant, sent)
}

const refresh = (refresh_token: string, form: Record<string, string> = {}, sent: Sent = {}) =>
  send('/api/oauth/token', { grant_type: 'refresh_token', refresh_token, ...form }, sent)

async function obtainTokens() {
  const { status, body } = await redeem(await obtainCode())
  expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
  return body as { access_token: string; refresh_token: string; id_token: string }
}

describe('the setting', () => {
  test('turns on what the profile requires', () => {
    expect(client).toMatchObject({
      securityProfile: 'FAPI2',
      tokenEndpointAuthMethod: 'private_key_jwt',
      requirePushedRequests: true,
      requireDpop: true,
      pkceMethods: ['S256'],
      deviceFlow: false,
      clientSecret: null,
    })
  })

  test('of a machine, too', async () => {
    const machine = { kind: 'MACHINE', redirectUris: undefined, scopes: ['licenses:read'] }
    expect(await newFapiClient(machine)).toMatchObject({
      tokenEndpointAuthMethod: 'private_key_jwt',
      requireDpop: true,
      requirePushedRequests: false,
    })
  })

  test('of an existing client changes its other settings, which stay when it is turned off', async () => {
    const settings = { securityProfile: 'NONE', jwks: undefined, tokenEndpointAuthMethod: 'client_secret' }
    const { id } = await newFapiClient(settings)
    await expect(change(id, { securityProfile: 'FAPI2' })).rejects.toThrow('private_key_jwt')
    const changed = await change(id, { securityProfile: 'FAPI2', jwks: jwks() })
    expect(changed).toMatchObject({ requireDpop: true, requirePushedRequests: true, pkceMethods: ['S256'] })
    const back = await change(id, { securityProfile: 'NONE', requireDpop: false })
    expect(back).toMatchObject({ securityProfile: 'NONE', requireDpop: false, requirePushedRequests: true })
  })

  test.each([
    { requireDpop: false },
    { requirePushedRequests: false },
    { pkceMethods: ['S256', 'plain'] },
    { pkceMethods: ['plain'] },
    { deviceFlow: true },
    { tokenEndpointAuthMethod: 'client_secret' },
  ])('cannot be contradicted: %o', async (settings) => {
    const applicationId = await newApplication()
    const [field = ''] = Object.keys(settings)
    await expect(newFapiClient(settings, applicationId)).rejects.toThrow(field)
    await expect(change(client.id, settings)).rejects.toThrow(field)
  })

  test('is refused for an SPA and for a key of RS256', async () => {
    await expect(newFapiClient({ kind: 'SPA', jwks: null })).rejects.toThrow('securityProfile')
    const keys = [{ ...rsaKey.publicJwk, alg: 'RS256' }]
    await expect(newFapiClient({ jwks: { keys } })).rejects.toThrow('jwks.keys.0')
    await expect(change(client.id, { jwks: { keys } })).rejects.toThrow('jwks.keys.0')
  })

  test('needs an application that does not sign with RS256, and keeps it from changing back', async () => {
    const applicationId = await newApplication('RS256')
    await expect(newFapiClient({}, applicationId)).rejects.toThrow('signingAlgorithm')
    const { id } = await newFapiClient({ securityProfile: 'NONE' }, applicationId)
    await expect(change(id, { securityProfile: 'FAPI2' })).rejects.toThrow('signingAlgorithm')
    const application = (signingAlgorithm: string) =>
      admin(url, `/api/admin/applications/${applicationId}`, { signingAlgorithm }, 'PATCH')
    await application('PS256')
    await change(id, { securityProfile: 'FAPI2' })
    await expect(application('RS256')).rejects.toThrow('signingAlgorithm')
    await application('EdDSA')
    await change(id, { securityProfile: 'NONE' })
    await application('RS256')
  })

  test.each(rounds(20))('and RS256 cannot be set at once (round %i)', async () => {
    const applicationId = await newApplication('PS256')
    const { id } = await newFapiClient({ securityProfile: 'NONE' }, applicationId)
    const path = `/api/admin/applications/${applicationId}`
    const results = await Promise.allSettled([
      change(id, { securityProfile: 'FAPI2' }),
      admin(there.url, path, { signingAlgorithm: 'RS256' }, 'PATCH'),
    ])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('an authorization request', () => {
  test('must be pushed', async () => {
    expect(await open(REQUEST)).toMatchObject({ error: 'invalid_request' })
  })

  test('must have a challenge with S256', async () => {
    const { code_challenge, code_challenge_method, ...withoutPkce } = REQUEST
    for (const form of [withoutPkce, { ...withoutPkce, code_challenge }, { ...withoutPkce, code_challenge_method }]) {
      expect(await send('/api/oauth/par', form)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    const plain = await push({ code_challenge: VERIFIER, code_challenge_method: 'plain' })
    expect(plain).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })
})

describe('RS256 is refused', () => {
  test('for assertions, at every endpoint, while PS256 with the same key is accepted', async () => {
    for (const path of ['/api/oauth/par', '/api/oauth/token', '/api/oauth/introspect', '/api/oauth/revoke']) {
      const rs256 = await send(path, { token: 'x', grant_type: 'refresh_token' }, { assertionKey: await asRs256() })
      expect({ path, ...rs256 }).toMatchObject({ path, status: 401, body: { error: 'invalid_client' } })
    }
    const problems = service.logs.filter(({ msg }) => msg === 'request refused').map(({ problem }) => problem)
    expect(new Set(problems)).toEqual(new Set(['wrong_algorithm']))
    expect((await push({}, { assertionKey: rsaKey })).status).toBe(201)
  })

  test('for DPoP proofs, with a pushed request and at the token endpoint', async () => {
    const proof = async (path: string) => newProof(url, await newProofKey('RS256'), { claims: { htu: url + path } })
    const pushed = await push({}, { proof: await proof('/api/oauth/par') })
    expect(pushed).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } })
    const code = await obtainCode()
    const refused = await redeem(code, { proof: await proof('/api/oauth/token') })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } })
    expect((await redeem(code, { proof: null })).body.error).toBe('invalid_dpop_proof')
    expect((await redeem(code)).status).toBe(200)
  })

  test('for DPoP proofs at userinfo and the API, while PS256 with the same key is accepted', async () => {
    const bound = await newProofKey('PS256', { modulusLength: 2048 })
    const exported = await exportJWK(bound.privateKey)
    const rs256 = { ...bound, alg: 'RS256', privateKey: (await importJWK(exported, 'RS256')) as CryptoKey }
    const pushed = await push({}, { proof: await newProof(url, bound, { claims: { htu: `${url}/api/oauth/par` } }) })
    const { code = '' } = await open({ request_uri: pushed.body.request_uri ?? '' })
    const { body } = await redeem(code, { proof: await newProof(url, bound) })
    const token = body.access_token ?? ''
    for (const path of ['/api/oauth/userinfo', '/api/tenants']) {
      const call = async (proofKey: ProofKey) => {
        const dpop = await newResourceProof(url, proofKey, { path, token })
        return fetch(url + path, { headers: { authorization: `DPoP ${token}`, dpop } })
      }
      const refused = await call(rs256)
      expect({ path, status: refused.status }).toEqual({ path, status: 401 })
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"')
      expect((await call(bound)).status).toBe(200)
    }
  })
})

/** The RSA key of the client as a key for RS256. */
async function asRs256(): Promise<TestKey> {
  const privateKey = (await importJWK({ ...rsaKey.privateJwk, alg: 'RS256' }, 'RS256')) as CryptoKey
  return { ...rsaKey, alg: 'RS256', privateKey }
}

describe('a refresh token', () => {
  test('stays the same, on every node, so that a lost response does no harm', async () => {
    const { refresh_token } = await obtainTokens()
    for (const node of [url, there.url, url, url]) {
      const { status, body } = await refresh(refresh_token, {}, { node })
      expect({ status, token: body.refresh_token }).toEqual({ status: 200, token: refresh_token })
      expect(await introspect(url, body.access_token ?? '')).toMatchObject({ active: true })
    }
    expect(await introspect(url, refresh_token)).toMatchObject({ active: true })
  })

  test('is for its client with a proof only', async () => {
    const { refresh_token } = await obtainTokens()
    expect((await refresh(refresh_token, {}, { proof: null })).body.error).toBe('invalid_dpop_proof')
    const anybody = { grant_type: 'refresh_token', refresh_token, client_id: client.clientId }
    const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(anybody) })
    expect(await response.json()).toMatchObject({ error: 'invalid_client' })
    const other = { ...client }
    client = await newFapiClient()
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant')
    client = other
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test('switches the tenant of the grant for good, on every node', async () => {
    await admin(url, '/api/admin/tenants', { name: 'Second', slug: 'second', ownerEmail: 'mia@acme.test' })
    const { body } = await push()
    const { code = '' } = await open({ request_uri: body.request_uri ?? '' })
    const { refresh_token = '' } = (await redeem(code)).body
    const tenantOf = async (node: string, form = {}) => {
      const { access_token = '' } = (await refresh(refresh_token, form, { node })).body
      return decodeJwt(access_token).tenant_slug
    }
    expect([await tenantOf(there.url), await tenantOf(url)]).toEqual(['acme', 'acme'])
    expect(await tenantOf(url, { tenant: 'second' })).toBe('second')
    expect([await tenantOf(there.url), await tenantOf(url)]).toEqual(['second', 'second'])
    expect((await refresh(refresh_token, { tenant: 'no-such-tenant' })).body.error).toBe('invalid_grant')
  })

  test('lives longer with each use, at most as long as the grant', async () => {
    const moving = await startDemoService({
      config: { lifetimes: { ...service.ctx.config.lifetimes, refreshTokenIdle: 100, refreshToken: 250 } },
    })
    const [before, beforeCookie, beforeClient] = [url, cookie, client]
    url = moving.url
    cookie = await signIn(url, 'mia@acme.test')
    client = await newFapiClient()
    const { refresh_token } = await obtainTokens()
    const expiry = async () => Number((await introspect(url, refresh_token)).exp)
    const first = await expiry()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await refresh(refresh_token)
    expect(await expiry()).toBeGreaterThan(first)
    await moving.close()
    ;[url, cookie, client] = [before, beforeCookie, beforeClient]
  })

  test('moves the last use of the consent, and not the time of its issue', async () => {
    const { refresh_token } = await obtainTokens()
    const { applicationId: application_id } = client
    const { user_id, tenant_id } = await service.ctx.db
      .selectFrom('grants')
      .innerJoin('clients', 'clients.id', 'grants.client_id')
      .select(['grants.user_id', 'grants.tenant_id'])
      .where('clients.application_id', '=', application_id)
      .executeTakeFirstOrThrow()
    const consent = { user_id, application_id, tenant_id, scopes: ['openid'], granted_at: new Date() }
    await service.ctx.db.insertInto('consents').values(consent).execute()
    const lastUse = async () => {
      const path = `/api/admin/users/${user_id}/consents`
      type Answer = { consents: { applicationId: string; lastUsedAt: string }[] }
      const { consents } = await admin<Answer>(url, path, undefined, 'GET')
      return Date.parse(consents.find(({ applicationId }) => applicationId === application_id)?.lastUsedAt ?? '')
    }
    const [first, { iat }] = [await lastUse(), await introspect(url, refresh_token)]
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect((await refresh(refresh_token)).status).toBe(200)
    expect(await lastUse()).toBeGreaterThanOrEqual(first + 1_000)
    expect((await introspect(url, refresh_token)).iat).toBe(iat)
  })

  test('ends when it is revoked', async () => {
    const { refresh_token } = await obtainTokens()
    await refresh(refresh_token)
    expect((await send('/api/oauth/revoke', { token: refresh_token })).status).toBe(200)
    for (const node of [url, there.url]) {
      expect((await refresh(refresh_token, {}, { node })).body.error).toBe('invalid_grant')
    }
  })

  test.each(rounds(20))('used 20 times at once works each time, and ends at once (round %i)', async () => {
    const { refresh_token } = await obtainTokens()
    const nodes = Array.from({ length: 20 }, (_, index) => (index % 2 ? url : there.url))
    const replies = await Promise.all(nodes.map((node) => refresh(refresh_token, {}, { node })))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const [revoked, ...last] = await Promise.all([
      send('/api/oauth/revoke', { token: refresh_token }),
      ...nodes.map((node) => refresh(refresh_token, {}, { node })),
    ])
    expect(revoked.status).toBe(200)
    const tokens = [...replies, ...last].flatMap(({ body: { access_token = [] } }) => access_token)
    await expect
      .poll(async () =>
        (await Promise.all(tokens.map((token) => introspect(url, token)))).every(({ active }) => !active),
      )
      .toBe(true)
  })

  test('is replaced again when the profile is turned off, and a second use then ends the grant', async () => {
    const other = { ...client }
    client = await newFapiClient()
    const { refresh_token } = await obtainTokens()
    await refresh(refresh_token)
    await change(client.id, { securityProfile: 'NONE' })
    const rotated = (await refresh(refresh_token)).body.refresh_token ?? ''
    expect(rotated).not.toBe(refresh_token)
    await change(client.id, { securityProfile: 'FAPI2' })
    expect((await refresh(rotated)).body.refresh_token).toBe(rotated)
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(rotated)).body.error).toBe('invalid_grant')
    client = other
  })

  test('costs two statements besides those of the assertion and the proof', async () => {
    const { refresh_token } = await obtainTokens()
    await refresh(refresh_token)
    const watch = await watchStatements(service)
    expect(await watch.count(() => refresh(refresh_token))).toBe(4)
    await watch.close()
  })
})

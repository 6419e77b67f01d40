import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds } from '../../support/rounds.ts'
import { startService, type TestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  introspect,
  obtainTokens,
  signIn,
  startDemoService,
} from '../../support/world.ts'
import {
  callWith,
  codeForm,
  type Key,
  MACHINE,
  newClient,
  newKey,
  newProof,
  newResourceProof,
  refreshForm,
  requestTokens,
} from './proofs.ts'

let here: TestService
let there: TestService
let url: string
let cookie: string
let key: Key
let other: Key

beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
  url = here.url
  cookie = await signIn(url, 'mia@acme.test')
  key = await newKey()
  other = await newKey('EdDSA')
})
afterAll(async () => {
  await there.close()
  await here.close()
})

const proofOf = (owner: Key) => newProof(url, owner)
const code = async (parameters: Record<string, string> = {}) => (await authorize(url, cookie, parameters)).answer.code
const userinfo = '/api/oauth/userinfo'

async function obtainBoundTokens() {
  const { status, body } = await requestTokens(url, codeForm(await code()), await proofOf(key))
  expect(status).toBe(200)
  return body
}

test('a proof binds the access token, and introspection shows the key', async () => {
  const tokens = await obtainBoundTokens()
  expect(tokens.token_type).toBe('DPoP')
  expect(claimsOf(tokens.access_token).cnf).toEqual({ jkt: key.jkt })
  expect(claimsOf(tokens.id_token)).not.toHaveProperty('cnf')
  const cnf = { jkt: key.jkt }
  expect(await introspect(url, tokens.access_token)).toMatchObject({ active: true, token_type: 'DPoP', cnf })
  expect(await introspect(url, tokens.refresh_token)).toMatchObject({ active: true, cnf })
})

test('without a proof nothing is bound', async () => {
  const tokens = await obtainTokens(url, cookie)
  expect(claimsOf(tokens.access_token)).not.toHaveProperty('cnf')
  expect(await introspect(url, tokens.access_token)).not.toHaveProperty('cnf')
  expect(await introspect(url, tokens.refresh_token)).not.toHaveProperty('cnf')
})

test('userinfo and our own API accept a bound token with a proof, once', async () => {
  const { access_token: token } = await obtainBoundTokens()
  for (const path of [userinfo, '/api/tenants', '/api/users/me']) {
    const proof = await newResourceProof(url, key, { path, token })
    expect((await callWith(url, path, { scheme: 'DPoP', token, proof })).status).toBe(200)
    const again = await callWith(there.url, path, { scheme: 'DPoP', token, proof })
    expect(again.status).toBe(401)
    expect(again.challenge).toContain('DPoP error="invalid_dpop_proof", error_description="The DPoP proof was used')
  }
})

test('characters of the query that are sent without an escape make no difference', async () => {
  const { access_token: token } = await obtainBoundTokens()
  const { port } = new URL(url)
  for (const character of ['|', '{', '}', '^', '`']) {
    const proof = await newResourceProof(url, key, { path: userinfo, token })
    const headers = { authorization: `DPoP ${token}`, DPoP: proof }
    const status = await new Promise((resolve, reject) => {
      // fetch would escape some of them.
      request({ port, host: '127.0.0.1', path: `${userinfo}?q=a${character}b`, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    expect([character, status]).toEqual([character, 200])
  }
})

test('an invitation: a refused proof reaches the client, which is not taken for a visitor', async () => {
  const { access_token: token } = await obtainBoundTokens()
  const path = '/api/invitations/unknown/accept'
  const accept = async (headers: Record<string, string>) => {
    const response = await fetch(url + path, { method: 'POST', headers })
    return { status: response.status, challenge: response.headers.get('www-authenticate') }
  }
  const proof = await newResourceProof(url, key, { path, token, method: 'POST' })
  const authorization = `DPoP ${token}`
  const anonymous = await accept({})
  expect((await accept({ authorization, DPoP: proof })).status).not.toBe(401)
  const replayed = await accept({ authorization, DPoP: proof })
  expect(replayed).toEqual({ status: 401, challenge: expect.stringContaining('error="invalid_dpop_proof"') })
  const others: Record<string, string>[] = [{ authorization: 'Bearer expired' }, { DPoP: proof }]
  for (const headers of others) {
    expect(await accept(headers)).toEqual(anonymous)
  }
})

test('a request with a body is authenticated twice, with one proof', async () => {
  const { access_token: token } = await obtainBoundTokens()
  const path = '/api/users/me'
  const proof = await newResourceProof(url, key, { path, token, method: 'PATCH' })
  const response = await fetch(url + path, {
    method: 'PATCH',
    headers: { authorization: `DPoP ${token}`, DPoP: proof, 'Content-Type': 'application/json' },
    body: JSON.stringify({ givenName: 'Mia' }),
  })
  expect(response.status).toBe(200)
})

test('a bound token is refused as Bearer', async () => {
  const { access_token: token } = await obtainBoundTokens()
  for (const path of [userinfo, '/api/tenants']) {
    const proof = await newResourceProof(url, key, { path, token })
    for (const attempt of [undefined, proof]) {
      const { status, challenge } = await callWith(url, path, { scheme: 'Bearer', token, proof: attempt })
      expect(status).toBe(401)
      expect(challenge).toMatch(/^DPoP error="invalid_token", .*algs="PS256 ES256 EdDSA RS256 Ed25519"$/)
    }
  }
  const form = await fetch(url + userinfo, { method: 'POST', body: new URLSearchParams({ access_token: token }) })
  expect(form.status).toBe(401)
  expect(form.headers.get('www-authenticate')).toContain('DPoP error="invalid_token"')
})

test('a bearer token is refused as DPoP', async () => {
  const { access_token: token } = await obtainTokens(url, cookie)
  for (const path of [userinfo, '/api/tenants']) {
    const proof = await newResourceProof(url, key, { path, token })
    const { status, challenge } = await callWith(url, path, { scheme: 'DPoP', token, proof })
    expect(status).toBe(401)
    expect(challenge).toContain('DPoP error="invalid_token"')
    expect((await callWith(url, path, { scheme: 'Bearer', token })).status).toBe(200)
  }
})

test('the refresh token of a public client needs a proof of its key, also after rotations and on another node', async () => {
  let { refresh_token } = await obtainBoundTokens()
  for (const node of [url, there.url, url]) {
    for (const proofs of [[], [await proofOf(other)]]) {
      const { status, body } = await requestTokens(node, refreshForm(refresh_token), ...proofs)
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
    }
    const { status, body } = await requestTokens(node, refreshForm(refresh_token), await proofOf(key))
    expect(status).toBe(200)
    expect(body.token_type).toBe('DPoP')
    expect(claimsOf(body.access_token).cnf).toEqual({ jkt: key.jkt })
    refresh_token = body.refresh_token
  }
})

test('a proof at a refresh binds a grant of a public client that was not bound', async () => {
  const { refresh_token } = await obtainTokens(url, cookie)
  const { body } = await requestTokens(url, refreshForm(refresh_token), await proofOf(key))
  expect(body.token_type).toBe('DPoP')
  for (const node of [there.url, url]) {
    expect((await requestTokens(node, refreshForm(body.refresh_token))).body.error).toBe('invalid_grant')
  }
  expect((await requestTokens(url, refreshForm(body.refresh_token), await proofOf(key))).status).toBe(200)
})

test('a confidential client refreshes with any key, but not without a proof', async () => {
  const { clientId, clientSecret } = await newClient(url, { kind: 'WEB' })
  const credentials = { client_id: clientId, client_secret: clientSecret }
  const form = { ...codeForm(await code({ client_id: clientId })), ...credentials }
  const first = await requestTokens(url, form, await proofOf(key))
  expect(claimsOf(first.body.access_token).cnf).toEqual({ jkt: key.jkt })
  const again = { ...refreshForm(first.body.refresh_token), ...credentials }
  expect((await requestTokens(url, again)).body.error).toBe('invalid_grant')
  const second = await requestTokens(url, again, await proofOf(other))
  expect(claimsOf(second.body.access_token).cnf).toEqual({ jkt: other.jkt })
  const stored = await here.ctx.db.selectFrom('grants').select('id').where('dpop_jkt', '=', other.jkt).execute()
  expect(stored).toHaveLength(1)
})

test('dpop_jkt binds the code, and a refused attempt does not use it up', async () => {
  const bound = await code({ dpop_jkt: key.jkt })
  for (const proofs of [[], [await proofOf(other)]]) {
    expect((await requestTokens(url, codeForm(bound), ...proofs)).body.error).toBe('invalid_grant')
  }
  expect((await requestTokens(url, codeForm(bound), await proofOf(key))).status).toBe(200)
})

test('after somebody else redeemed a code with a proof, its second use ends the grant', async () => {
  const stolen = await code()
  const thief = await requestTokens(url, codeForm(stolen), await proofOf(other))
  expect(thief.status).toBe(200)
  const second = await requestTokens(url, codeForm(stolen))
  expect(second.body).toEqual({ error: 'invalid_grant', error_description: 'The code was used before.' })
  const renewed = await requestTokens(url, refreshForm(thief.body.refresh_token), await proofOf(other))
  expect(renewed.body.error).toBe('invalid_grant')
  expect(await introspect(url, thief.body.access_token)).toEqual({ active: false })
})

test.each(['', 'short', 'a'.repeat(44), `${'a'.repeat(42)}!`])('dpop_jkt=%s is invalid_request', async (dpop_jkt) => {
  const { answer } = await authorize(url, cookie, { dpop_jkt })
  if (dpop_jkt === '') expect(answer.code).toBeDefined()
  else expect(answer.error).toBe('invalid_request')
})

test('a client that requires DPoP gets no tokens without a proof, and discovery lists the algorithms', async () => {
  const readAlgorithms = async () => {
    const metadata = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as Record<string, unknown>
    return metadata.dpop_signing_alg_values_supported
  }
  expect(await readAlgorithms()).toBeUndefined()
  const { id, clientId, clientSecret } = await newClient(url, { kind: 'MACHINE', scopes: ['a'], requireDpop: true })
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  expect((await requestTokens(url, form)).body.error).toBe('invalid_dpop_proof')
  expect((await requestTokens(url, form, await proofOf(key))).body.token_type).toBe('DPoP')
  await expect.poll(readAlgorithms).toEqual(['PS256', 'ES256', 'EdDSA', 'RS256', 'Ed25519'])
  await admin(url, `/api/admin/clients/${id}`, { requireDpop: false }, 'PATCH')
  await expect.poll(readAlgorithms).toBeUndefined()
  expect((await requestTokens(url, form)).body.token_type).toBe('Bearer')
})

test.each(rounds(20))('of 20 requests with one proof at once, on two nodes, exactly one is accepted (%d)', async () => {
  const proof = await proofOf(key)
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => requestTokens(index % 2 ? url : there.url, MACHINE, proof)),
  )
  expect(results.filter(({ status }) => status === 200)).toHaveLength(1)
  const refused = results.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(({ body }) => body.error))).toEqual(new Set(['invalid_dpop_proof']))
})

test.each(rounds(20))('the same with an access token (%d)', async () => {
  const { access_token: token } = await obtainBoundTokens()
  const proof = await newResourceProof(url, key, { path: userinfo, token })
  const request = { scheme: 'DPoP', token, proof }
  const nodes = Array.from({ length: 20 }, (_, index) => (index % 2 ? url : there.url))
  const results = await Promise.all(nodes.map((node) => callWith(node, userinfo, request)))
  expect(results.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(results.filter(({ status }) => status === 401)).toHaveLength(19)
})

test.each(rounds(20))('of 20 proofs that arrive twice at once, on two nodes, each is accepted once (%d)', async () => {
  const proofs = await Promise.all(Array.from({ length: 20 }, () => proofOf(key)))
  const send = (proof: string, index: number) => requestTokens(index % 3 ? url : there.url, MACHINE, proof)
  const results = await Promise.all([...proofs.map(send), ...proofs.toReversed().map(send)])
  const accepted = results.map(({ status }) => status === 200)
  for (const [index] of proofs.entries()) {
    expect([accepted[index], accepted[2 * proofs.length - 1 - index]].toSorted()).toEqual([false, true])
  }
})

test('one proof for two codes: the second code is not used up', async () => {
  const codes = [await code(), await code()]
  const proof = await proofOf(key)
  expect((await requestTokens(url, codeForm(codes[0]), proof)).status).toBe(200)
  expect((await requestTokens(there.url, codeForm(codes[1]), proof)).body.error).toBe('invalid_dpop_proof')
  expect((await requestTokens(there.url, codeForm(codes[1]), await proofOf(key))).status).toBe(200)
})

test('proofs are stored as hashes', async () => {
  const jti = 'the-jti-of-this-proof'
  await requestTokens(url, MACHINE, await newProof(url, key, { claims: { jti } }))
  const rows = await here.ctx.db.selectFrom('dpop_proofs').selectAll().execute()
  expect(rows.every(({ hash }) => hash.length === 32)).toBe(true)
  expect(JSON.stringify(rows.map(({ hash }) => hash.toString('utf8')))).not.toContain(jti)
})

test('a bearer request costs no statement more, a proof costs one', async () => {
  const watch = await watchStatements(here)
  const { access_token: token } = await obtainBoundTokens()
  const call = async () => {
    const proof = await newResourceProof(url, key, { path: userinfo, token })
    expect((await callWith(url, userinfo, { scheme: 'DPoP', token, proof })).status).toBe(200)
  }
  await call()
  expect(await watch.count(call)).toBe(1)
  await requestTokens(url, MACHINE)
  expect(await watch.count(() => requestTokens(url, MACHINE))).toBe(0)
  const proof = await proofOf(key)
  expect(await watch.count(() => requestTokens(url, MACHINE, proof))).toBe(1)
  const { refresh_token } = await obtainBoundTokens()
  const refreshed = await requestTokens(url, refreshForm(refresh_token), await proofOf(key))
  const last = await proofOf(key)
  expect(await watch.count(() => requestTokens(url, refreshForm(refreshed.body.refresh_token), last))).toBe(2)
  await watch.close()
})

const ALLOWED_HEADERS = 'Authorization, Content-Type, DPoP, Latchkey-Language'

test('pages of registered origins may send proofs, name a language and read the nonce', async () => {
  await newClient(url, { kind: 'SPA', allowedOrigins: ['https://dpop.example'], redirectUris: [CALLBACK] })
  const headers = { origin: 'https://dpop.example' }
  for (const path of ['/api/oauth/token', '/api/oauth/par', userinfo]) {
    const preflight = await fetch(url + path, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': path === userinfo ? 'GET' : 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toBe(ALLOWED_HEADERS)
    const { headers: exposed } = await fetch(url + path, { headers, method: path === userinfo ? 'GET' : 'POST' })
    expect(exposed.get('access-control-expose-headers')).toBe('WWW-Authenticate, Retry-After, DPoP-Nonce')
  }
})

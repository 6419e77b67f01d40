import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { callAdmin, newApplication, newClient, newMachine, OPS } from '../support/admin.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import {
  basic,
  bearer,
  type Client,
  credentials,
  getTokens,
  getUserinfo,
  introspectToken,
  postForm,
  refreshTokens,
  requestMachineToken,
  revokeToken,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, encodeFields, type Fields, readResponse } from '../support/service.ts'
import { newCaller, newTenant, type Tenant } from '../support/tenants.ts'

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const machine = await newMachine(application, ['reports:read'])
const foreign = await newClient(await newApplication(), 'WEB')
const someone = await newPerson()

const newTokens = async (client: Client = spa) => getTokens(await someone.signIn(), client)
const done = { status: 200, body: { success: true } }
const INACTIVE = { active: false }
const see = async (token: string, client: Client = web) => (await introspectToken(client, token)).body

describe('revoke', () => {
  test('T073: revoking a refresh token also revokes its grant family and access tokens', async () => {
    const first = await newTokens()
    const { body: second } = await refreshTokens(spa, first.refresh_token)
    expect(await revokeToken(spa, second.refresh_token, { token_type_hint: 'refresh_token' })).toMatchObject(done)
    expect(await refreshTokens(spa, second.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    for (const token of [second.refresh_token, first.access_token, second.access_token]) {
      expect(await see(token)).toEqual(INACTIVE)
    }
    expect((await getUserinfo(second.access_token)).status).toBe(401)
  })

  test('T073: a revoked access token is refused; its refresh token stays valid', async () => {
    const tokens = await newTokens()
    expect(await revokeToken(spa, tokens.access_token, { token_type_hint: 'access_token' })).toMatchObject(done)
    expect(await see(tokens.access_token)).toEqual(INACTIVE)
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
    expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(200)
  })

  test('T073: revoking one grant does not affect the session and its other grants', async () => {
    const browser = await someone.signIn()
    const [one, other] = [await getTokens(browser, spa), await getTokens(browser, spa)]
    await revokeToken(spa, one.refresh_token)
    expect((await getUserinfo(other.access_token)).status).toBe(200)
    expect(await getTokens(browser, spa, { prompt: 'none' })).toHaveProperty('access_token')
  })

  test.each<[string, Fields]>([
    ['unknown', { token: 'unknown' }],
    ['garbage', { token: '%ff é {} \n' }],
    ['a foreign JWT', { token: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['very long', { token: 'x'.repeat(10_000) }],
    ['unknown, of an unknown client', { token: 'unknown', client_id: 'nobody' }],
    ['unknown, with an unknown hint', { token: 'unknown', token_type_hint: 'unheard-of' }],
  ])('T074: a token that is %s is also 200', async (_, fields) => {
    expect((await postForm('/api/oauth/revoke', { client_id: spa.clientId, ...fields })).status).toBe(200)
  })

  test('T074: a revoked token is also 200', async () => {
    const { refresh_token } = await newTokens()
    for (let round = 0; round < 3; round++) expect(await revokeToken(spa, refresh_token)).toMatchObject(done)
  })

  test.each(['access_token', 'unheard-of', ''])(
    'T074: a refresh token is revoked with the hint "%s", too',
    async (token_type_hint) => {
      const { refresh_token } = await newTokens()
      await revokeToken(spa, refresh_token, { token_type_hint })
      expect(await see(refresh_token)).toEqual(INACTIVE)
    },
  )

  test('T074: an access token is revoked with the hint refresh_token, too', async () => {
    const { access_token } = await newTokens()
    await revokeToken(spa, access_token, { token_type_hint: 'refresh_token' })
    expect(await see(access_token)).toEqual(INACTIVE)
  })

  test.each<[string, Fields]>([
    ['the client_id of another client', { client_id: web.clientId }],
    ['another client with its own secret', credentials(web)],
    ['no client_id', { client_id: undefined }],
    ['a wrong secret', { client_secret: 'wrong' }],
  ])('T074: with %s nothing happens, and the response is the same 200 (D5)', async (_, fields) => {
    const tokens = await newTokens()
    expect(await revokeToken(spa, tokens.refresh_token, fields)).toMatchObject(done)
    expect(await revokeToken(spa, tokens.access_token, fields)).toMatchObject(done)
    expect((await getUserinfo(tokens.access_token)).status).toBe(200)
    expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(200)
  })

  test('T074: a confidential client may revoke by id alone, by body secret and by Basic, but not with a wrong secret', async () => {
    const wrong = { ...web, clientSecret: 'wrong' }
    const ways: [Fields, Record<string, string>, boolean][] = [
      [{ client_id: web.clientId }, {}, true],
      [credentials(web), {}, true],
      [{}, basic(web), true],
      [credentials(wrong), {}, false],
      [{}, basic(wrong), false],
    ]
    for (const [fields, headers, ends] of ways) {
      const { refresh_token: token } = await newTokens(web)
      expect((await postForm('/api/oauth/revoke', { token, ...fields }, headers)).status).toBe(200)
      expect(await see(token)).toMatchObject({ active: !ends })
    }
  })

  test.each([undefined, ''])('T074: only a missing token (%s) is 400 invalid_request', async (token) => {
    const response = await postForm('/api/oauth/revoke', { token, client_id: spa.clientId })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })
})

describe('introspection', () => {
  test.each<[string, (token: string) => [Fields, Record<string, string>]]>([
    ['without credentials', () => [{}, {}]],
    ['with a wrong secret', () => [{}, basic({ clientId: web.clientId, clientSecret: 'wrong' })]],
    ['with an empty secret', () => [{}, basic({ clientId: web.clientId })]],
    ['as a public client', () => [{}, basic({ clientId: spa.clientId })]],
    ['as an unknown client', () => [{}, basic({ clientId: 'nobody', clientSecret: 'x' })]],
    ['with U+0000 in the credentials', () => [{}, basic({ clientId: 'a\0b', clientSecret: 'c\0d' })]],
    ['with body credentials only', () => [credentials(web), {}]],
    ['with the token itself', (token) => [{}, bearer(token)]],
  ])('T076: %s it is 401 without further information', async (_, how) => {
    const { access_token } = await newTokens()
    const [fields, headers] = how(access_token)
    const response = await postForm('/api/oauth/introspect', { token: access_token, ...fields }, headers)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic\b/)
    for (const member of ['active', 'sub', 'scope', 'client_id']) expect(response.body).not.toHaveProperty(member)
  })

  test('T076: a disabled client is 401', async () => {
    const client = await newClient(application, 'WEB')
    await callAdmin('PATCH', `/clients/${client.id}`, { disabled: true })
    expect((await introspectToken(client, 'x')).status).toBe(401)
  })

  test('T077: active access and refresh tokens have sub, client_id, scope, exp and iat in seconds', async () => {
    const tokens = await newTokens()
    const claims = decodeJwt(tokens.access_token)
    const seconds = Date.now() / 1000
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const response = await introspectToken(web, token)
      expect(response.status).toBe(200)
      const { body } = response
      expect(body).toMatchObject({
        active: true,
        sub: claims.sub,
        client_id: spa.clientId,
        scope: tokens.scope,
      })
      expect(Number.isInteger(body.exp) && Number.isInteger(body.iat)).toBe(true)
      expect(Math.abs(Number(body.iat) - seconds)).toBeLessThan(60)
      expect(body.exp).toBeGreaterThan(seconds)
    }
    expect(await see(tokens.access_token)).toMatchObject({ exp: claims.exp, iat: claims.iat })
  })

  test('T077: an access token shows its issuer, audience, id and type, and the role of its user', async () => {
    const { person, headers } = await newCaller()
    const tenant = await newTenant(headers)
    const tokens = await getTokens(await person.signIn(), spa, { tenant: tenant.slug })
    const { iss, aud, jti } = await verifyAccessToken(tokens.access_token, application)
    const inTenant = { tenant_id: tenant.id, tenant_roles: ['owner'] }
    const shown = await see(tokens.access_token)
    expect(shown).toMatchObject({ iss, aud, jti, token_type: 'Bearer', ...inTenant })
    expect(await see(tokens.refresh_token)).toMatchObject({ active: true, iss, ...inTenant })
    const bound = await newMachine(application, ['reports:read'], { tenantId: tenant.id })
    const { body } = await requestMachineToken(bound)
    expect(await see(body.access_token)).toMatchObject({ tenant_id: tenant.id, tenant_roles: [] })
  })

  test('T077: introspection has no effect: the refresh token still works afterwards', async () => {
    const { refresh_token } = await newTokens()
    for (let round = 0; round < 3; round++) await see(refresh_token)
    expect((await refreshTokens(spa, refresh_token)).status).toBe(200)
  })

  test('T077: machines of the application and of the instance may introspect', async () => {
    const { access_token } = await newTokens()
    for (const client of [machine, OPS]) expect(await see(access_token, client)).toMatchObject({ active: true })
    const { body } = await requestMachineToken(machine)
    expect(await see(body.access_token)).toMatchObject({ active: true, sub: machine.clientId })
  })

  test('T078: a client of another application gets exactly {"active":false}', async () => {
    const tokens = await newTokens()
    expect(await see(tokens.access_token, foreign)).toEqual(INACTIVE)
    expect(await see(tokens.refresh_token, foreign)).toEqual(INACTIVE)
  })

  test('T078: a tenant machine can introspect tokens of its tenant, and no others of its application', async () => {
    const { person, headers } = await newCaller()
    const [own, other] = [await newTenant(headers), await newTenant(headers)]
    const inTenant = (tenantId: string) => newMachine(application, ['reports:read'], { tenantId })
    const [bound, neighbor] = [await inTenant(own.id), await inTenant(other.id)]
    const machineToken = async (client: Client) => (await requestMachineToken(client)).body.access_token
    const tokensFor = async ({ slug }: Tenant) => getTokens(await person.signIn(), spa, { tenant: slug })
    const [seen, unseen, nowhere] = [await tokensFor(own), await tokensFor(other), await newTokens()]

    const visible = [seen.access_token, seen.refresh_token, await machineToken(bound)]
    const hidden = [
      ...[unseen.access_token, unseen.refresh_token, nowhere.access_token, nowhere.refresh_token],
      ...[await machineToken(neighbor), await machineToken(machine)],
    ]
    for (const token of visible) {
      expect(await see(token, bound)).toMatchObject({ active: true, tenant_id: own.id })
      expect(await see(token, neighbor)).toEqual(INACTIVE)
    }
    for (const token of hidden) expect(await see(token, bound)).toEqual(INACTIVE)
    // Clients without a tenant can introspect all of them.
    for (const token of [...visible, ...hidden]) expect(await see(token)).toMatchObject({ active: true })
  })

  test('T078: it reflects the current tenant of a grant family', async () => {
    const { person, headers } = await newCaller()
    const [from, to] = [await newTenant(headers), await newTenant(headers)]
    const bound = await newMachine(application, ['reports:read'], { tenantId: from.id })
    const before = await getTokens(await person.signIn(), spa, { tenant: from.slug })
    const { body: after } = await refreshTokens(spa, before.refresh_token, { tenant: to.slug })
    expect(await see(after.refresh_token)).toMatchObject({ active: true, tenant_id: to.id })
    for (const token of [after.access_token, after.refresh_token]) {
      expect(await see(token, bound)).toEqual(INACTIVE)
    }
  })

  test('T078: unknown, rotated, revoked and ID tokens are exactly {"active":false}', async () => {
    const [tokens, revoked] = [await newTokens(), await newTokens()]
    await revokeToken(spa, revoked.refresh_token)
    const { body: rotated } = await refreshTokens(spa, tokens.refresh_token)
    const dead = ['unknown', 'a.b.c', 'é\n', tokens.id_token, tokens.refresh_token, revoked.access_token]
    for (const token of [...dead, revoked.refresh_token]) {
      const raw = await fetch(`${baseUrl}/api/oauth/introspect`, {
        method: 'POST',
        body: encodeFields({ token }),
        headers: basic(web),
      })
      expect(raw.status).toBe(200)
      expect((await readResponse(raw)).body).toEqual(INACTIVE)
    }
    expect(await see(rotated.refresh_token)).toMatchObject({ active: true })
  })

  test.each(['/api/oauth/introspect', '/api/oauth/revoke'])('T157: U+0000 in the token is 400 at %s', async (path) => {
    const fields = { token: 'a\0b', client_id: web.clientId }
    expect((await postForm(path, fields, basic(web))).status).toBe(400)
  })

  test('T078: a missing token is 400 invalid_request', async () => {
    const response = await postForm('/api/oauth/introspect', {}, basic(web))
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })
})

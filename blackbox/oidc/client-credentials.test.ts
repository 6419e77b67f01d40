import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { callAdmin, newApplication, newClient, newMachine, OPS } from '../support/admin.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import {
  basic,
  bearer,
  getTokens,
  getUserinfo,
  introspectToken,
  requestMachineToken,
  requestToken,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl } from '../support/service.ts'

const SCOPES = ['reports:read', 'reports:write']
const application = await newApplication()
const machine = await newMachine(application, SCOPES)
const invalidClient = { status: 400, body: { error: 'invalid_client' } }

test.each([undefined, 'reports:read', 'openid reports:read', 'openid'])(
  'T061: a request with the scope "%s" gets an access token without the scope openid, and no refresh or ID token',
  async (scope) => {
    const { status, headers, body } = await requestMachineToken(machine, { scope })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) })
    expect(body).not.toHaveProperty('refresh_token')
    expect(body).not.toHaveProperty('id_token')
    expect((body.scope ?? '').split(' ')).not.toContain('openid')
  },
)

test('T061: the subject of a machine token is its client id, and the token has no claims of a user', async () => {
  const { body } = await requestMachineToken(machine)
  const claims = await verifyAccessToken(body.access_token, application)
  expect(claims).toMatchObject({ sub: machine.clientId, client_id: machine.clientId })
  for (const claim of ['sid', 'auth_time', 'email']) expect(claims).not.toHaveProperty(claim)
})

test('T061: a client id cannot look like a user id', async () => {
  const client = {
    applicationId: application,
    kind: 'MACHINE',
    name: 'x',
    scopes: SCOPES,
    clientId: randomUUID(),
  }
  expect(await callAdmin('POST', '/clients', client)).toMatchObject({
    status: 422,
    body: { error: 'VALIDATION_FAILED' },
  })
})

test('T061: credentials are accepted by HTTP Basic and in the body', async () => {
  const fields = { grant_type: 'client_credentials', scope: 'reports:read' }
  expect((await requestToken(fields, basic(machine))).status).toBe(200)
  expect((await requestMachineToken(machine, fields)).status).toBe(200)
})

test('T061: the token of a tenant machine names its tenant, that of an instance machine none', async () => {
  const bound = { clientId: 'demo-machine', clientSecret: 'demo-machine-secret' }
  const ofTenant = decodeJwt((await requestMachineToken(bound)).body.access_token)
  expect(ofTenant).toMatchObject({ tenant_slug: 'acme', tenant_id: expect.any(String) })
  const ofNone = decodeJwt((await requestMachineToken(OPS)).body.access_token)
  expect(ofNone).not.toHaveProperty('tenant_id')
})

test.each(['admin', 'reports:read admin', 'profile', 'email', 'offline_access', 'reports:*', 'REPORTS:READ'])(
  'T062: the scope "%s" is not allowed for the client: invalid_scope',
  async (scope) => {
    expect(await requestMachineToken(machine, { scope })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
  },
)

test('T062: an allowed scope is granted, and no other', async () => {
  const { body } = await requestMachineToken(machine, { scope: 'reports:read' })
  expect(body.scope).toBe('reports:read')
  expect(decodeJwt(body.access_token).scope).toBe('reports:read')
})

test('T062: without a requested scope, a client gets at most its own scopes', async () => {
  const { status, body } = await requestMachineToken(machine)
  expect(status).toBe(200)
  for (const scope of body.scope.split(' ')) expect(SCOPES).toContain(scope)
})

test('T062: the scope admin gives no access to a tenant machine, or to a user who is not a Super Admin', async () => {
  const { body: ofAcme } = await requestMachineToken({
    clientId: 'demo-machine',
    clientSecret: 'demo-machine-secret',
  })
  const tenantId = decodeJwt(ofAcme.access_token).tenant_id
  const bound = await newMachine(application, ['admin'], { tenantId })
  const spa = await newClient(application, 'SPA', { scopes: ['openid', 'admin'] })
  const person = await getTokens(await (await newPerson()).signIn(), spa, { scope: 'openid admin' })
  for (const token of [
    (await requestMachineToken(bound)).body.access_token,
    person.access_token,
    ofAcme.access_token,
  ]) {
    const { status } = await fetch(`${baseUrl}/api/admin/clients`, { headers: bearer(token) })
    expect(status).toBe(403)
  }
})

test('T064: a disabled client gets no token and its tokens are inactive; after enabling it works again', async () => {
  const client = await newMachine(application, SCOPES)
  const { body } = await requestMachineToken(client)
  expect((await introspectToken(machine, body.access_token)).body).toMatchObject({ active: true })
  await callAdmin('PATCH', `/clients/${client.id}`, { disabled: true })
  expect(await requestMachineToken(client)).toMatchObject(invalidClient)
  expect((await introspectToken(machine, body.access_token)).body).toEqual({ active: false })
  await callAdmin('PATCH', `/clients/${client.id}`, { disabled: false })
  expect((await requestMachineToken(client)).status).toBe(200)
})

test('T064: a deleted client gets no token and its tokens are inactive', async () => {
  const client = await newMachine(application, SCOPES)
  const { body } = await requestMachineToken(client)
  expect((await callAdmin('DELETE', `/clients/${client.id}`)).status).toBe(200)
  expect(await requestMachineToken(client)).toMatchObject(invalidClient)
  expect((await introspectToken(machine, body.access_token)).body).toEqual({ active: false })
})

test('T064: a client can have two secrets, but not three; both work, and a removed one does not', async () => {
  const client = await newMachine(application, SCOPES)
  const added = await callAdmin<{ id: string; clientSecret: string }>('POST', `/clients/${client.id}/secrets`)
  expect(added.status).toBe(201)
  expect((await callAdmin('POST', `/clients/${client.id}/secrets`)).status).toBe(409)
  const renewed = { ...client, clientSecret: added.body.clientSecret }
  expect((await requestMachineToken(client)).status).toBe(200)
  expect((await requestMachineToken(renewed)).status).toBe(200)
  expect((await callAdmin('DELETE', `/clients/${client.id}/secrets/${added.body.id}`)).status).toBe(200)
  expect(await requestMachineToken(renewed)).toMatchObject(invalidClient)
  expect((await requestMachineToken(client)).status).toBe(200)
})

test('T066: a machine token has no user: userinfo is 403', async () => {
  const { body } = await requestMachineToken(machine, { scope: 'openid reports:read' })
  expect((await getUserinfo(body.access_token)).status).toBe(403)
})

test('T064: a secret is returned only when it is created', async () => {
  const client = await newMachine(application, SCOPES)
  for (const path of [`/clients/${client.id}`, '/clients?limit=100']) {
    const { status, body } = await callAdmin('GET', path)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain(client.clientSecret)
  }
})

import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { admin, newApplication, newClient, newMachine, OPS } from '../support/admin.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import {
  askMachineToken,
  askToken,
  basic,
  bearer,
  getTokens,
  introspect,
  userinfo,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { base } from '../support/service.ts'

const SCOPES = ['reports:read', 'reports:write']
const application = await newApplication()
const machine = await newMachine(application, SCOPES)
const invalidClient = { status: 400, body: { error: 'invalid_client' } }

test.each([undefined, 'reports:read', 'openid reports:read', 'openid'])(
  'T061: scope "%s" gives an access token and neither refresh nor ID token',
  async (scope) => {
    const { status, headers, body } = await askMachineToken(machine, { scope })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) })
    expect(body).not.toHaveProperty('refresh_token')
    expect(body).not.toHaveProperty('id_token')
    expect((body.scope ?? '').split(' ')).not.toContain('openid')
  },
)

test('T061: the subject of a machine is its client id, which no person can have', async () => {
  const { body } = await askMachineToken(machine)
  const claims = await verifyAccessToken(body.access_token, application)
  expect(claims).toMatchObject({ sub: machine.clientId, client_id: machine.clientId })
  for (const claim of ['sid', 'auth_time', 'email']) expect(claims).not.toHaveProperty(claim)
})

test("T061: no client can be given an id that looks like a person's", async () => {
  const client = {
    applicationId: application,
    kind: 'MACHINE',
    name: 'x',
    scopes: SCOPES,
    clientId: randomUUID(),
  }
  expect(await admin('POST', '/clients', client)).toMatchObject({
    status: 422,
    body: { error: 'VALIDATION_FAILED' },
  })
})

test('T061: Basic works as well as the body, and as the real clients write it', async () => {
  const fields = { grant_type: 'client_credentials', scope: 'reports:read' }
  expect((await askToken(fields, basic(machine))).status).toBe(200)
})

test('T061: a machine of a tenant carries its tenant, an instance-wide one none', async () => {
  const bound = { clientId: 'demo-machine', clientSecret: 'demo-machine-secret' }
  const ofTenant = decodeJwt((await askMachineToken(bound)).body.access_token)
  expect(ofTenant).toMatchObject({ tenant_slug: 'acme', tenant_id: expect.any(String) })
  const ofNone = decodeJwt((await askMachineToken(OPS)).body.access_token)
  expect(ofNone).not.toHaveProperty('tenant_id')
})

test.each(['admin', 'reports:read admin', 'profile', 'email', 'offline_access', 'reports:*', 'REPORTS:READ'])(
  'T062: the scope "%s" is not the client\'s: invalid_scope',
  async (scope) => {
    expect(await askMachineToken(machine, { scope })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
  },
)

test('T062: a scope of its own is granted and nothing more', async () => {
  const { body } = await askMachineToken(machine, { scope: 'reports:read' })
  expect(body.scope).toBe('reports:read')
  expect(decodeJwt(body.access_token).scope).toBe('reports:read')
})

test('T062: without asking, a client never gets more than its own scopes', async () => {
  const { status, body } = await askMachineToken(machine)
  expect(status).toBe(200)
  for (const scope of body.scope.split(' ')) expect(SCOPES).toContain(scope)
})

test('T062: the scope admin opens nothing for a machine of a tenant, nor for a person without the right', async () => {
  const { body: ofAcme } = await askMachineToken({
    clientId: 'demo-machine',
    clientSecret: 'demo-machine-secret',
  })
  const tenantId = decodeJwt(ofAcme.access_token).tenant_id
  const bound = await newMachine(application, ['admin'], { tenantId })
  const spa = await newClient(application, 'SPA', { scopes: ['openid', 'admin'] })
  const person = await getTokens(await (await newPerson()).signIn(), spa, { scope: 'openid admin' })
  for (const token of [
    (await askMachineToken(bound)).body.access_token,
    person.access_token,
    ofAcme.access_token,
  ]) {
    const { status } = await fetch(`${base}/api/admin/clients`, { headers: bearer(token) })
    expect(status).toBe(403)
  }
})

test('T064: a disabled client gets no token, its outstanding ones are inactive; enabled, it works again', async () => {
  const client = await newMachine(application, SCOPES)
  const { body } = await askMachineToken(client)
  expect((await introspect(machine, body.access_token)).body).toMatchObject({ active: true })
  await admin('PATCH', `/clients/${client.id}`, { disabled: true })
  expect(await askMachineToken(client)).toMatchObject(invalidClient)
  expect((await introspect(machine, body.access_token)).body).toEqual({ active: false })
  await admin('PATCH', `/clients/${client.id}`, { disabled: false })
  expect((await askMachineToken(client)).status).toBe(200)
})

test('T064: a deleted client gets no token, its outstanding ones are inactive', async () => {
  const client = await newMachine(application, SCOPES)
  const { body } = await askMachineToken(client)
  expect((await admin('DELETE', `/clients/${client.id}`)).status).toBe(200)
  expect(await askMachineToken(client)).toMatchObject(invalidClient)
  expect((await introspect(machine, body.access_token)).body).toEqual({ active: false })
})

test('T064: during a rotation two secrets work; an ended one does not', async () => {
  const client = await newMachine(application, SCOPES)
  const added = await admin<{ id: string; clientSecret: string }>('POST', `/clients/${client.id}/secrets`)
  expect(added.status).toBe(201)
  expect((await admin('POST', `/clients/${client.id}/secrets`)).status).toBe(409)
  const renewed = { ...client, clientSecret: added.body.clientSecret }
  expect((await askMachineToken(client)).status).toBe(200)
  expect((await askMachineToken(renewed)).status).toBe(200)
  expect((await admin('DELETE', `/clients/${client.id}/secrets/${added.body.id}`)).status).toBe(200)
  expect(await askMachineToken(renewed)).toMatchObject(invalidClient)
  expect((await askMachineToken(client)).status).toBe(200)
})

test('T066: a machine token has no person: userinfo is 403', async () => {
  const { body } = await askMachineToken(machine, { scope: 'openid reports:read' })
  expect((await userinfo(body.access_token)).status).toBe(403)
})

test('T064: a secret is shown once, at its birth', async () => {
  const client = await newMachine(application, SCOPES)
  for (const path of [`/clients/${client.id}`, '/clients?limit=100']) {
    const { status, body } = await admin('GET', path)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain(client.clientSecret)
  }
})

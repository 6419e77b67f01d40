import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { admin, newApplication, newMachine, OPS } from '../support/admin.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { askMachineToken, askToken, basic, introspect, userinfo } from '../support/oauth.ts'

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

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import { admin, authorize, CALLBACK, exchange, introspect } from '../support/world.ts'
import { exchangeToken } from './exchange-steps.ts'
import { ASSERTION_TYPE, newKey, sign, type TestKey, validClaims } from './key-clients.ts'
import { type RegisteredClient, startTwoNodes, type TwoNodes } from './two-nodes.ts'

// What ends exchanged tokens, ends them for good.

let nodes: TwoNodes
let url: string
let applicationId: string
let subject: string
beforeAll(async () => {
  nodes = await startTwoNodes()
  url = nodes.here.url
  const created = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK], scopes: ['openid'] })
  applicationId = created.applicationId
  const { clientId: client_id } = created.client
  const { cookie } = await createSignedInUser(nodes.here)
  const { answer } = await authorize(url, cookie, { client_id, scope: 'openid' })
  subject = (await exchange(url, answer.code, { client_id })).body.access_token
})
afterAll(() => nodes?.close())

type Service = RegisteredClient & { secrets: { id: string }[] }

const newService = (settings: object = {}) =>
  admin<Service>(url, '/api/admin/clients', {
    applicationId,
    name: 'Service',
    kind: 'WEB',
    redirectUris: [CALLBACK],
    scopes: ['openid'],
    tokenExchange: true,
    ...settings,
  })

/** Whether the token is valid, on the other node first. */
async function usesOf(accessToken: string): Promise<unknown[]> {
  await nodes.changesAnnounced()
  const uses = []
  for (const node of [nodes.there, nodes.here]) uses.push((await introspect(node.url, accessToken)).active)
  return uses
}

const change = (service: Service, settings: object) => nodes.patch(`/clients/${service.id}`, settings)

async function obtain(service: Service): Promise<string> {
  const { body } = await exchangeToken(url, service, subject)
  expect(await usesOf(body.access_token)).toEqual([true, true])
  return body.access_token
}

async function obtainWithKey(service: Service, key: TestKey): Promise<string> {
  const client_assertion = await sign(key, validClaims(url, service.clientId))
  const form = { client_assertion_type: ASSERTION_TYPE, client_assertion }
  const reply = await fetch(`${url}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subject,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      ...form,
    }),
  })
  const { access_token } = (await reply.json()) as { access_token: string }
  expect(await usesOf(access_token)).toEqual([true, true])
  return access_token
}

test.each([
  ['disabled and enabled again', { disabled: true }, { disabled: false }],
  ['not allowed to exchange tokens for a while', { tokenExchange: false }, { tokenExchange: true }],
])('a client that was %s does not get its exchanged tokens back', async (_, end, undo) => {
  const service = await newService()
  const held = await obtain(service)
  await change(service, end)
  expect(await usesOf(held)).toEqual([false, false])
  await change(service, undo)
  expect(await usesOf(held)).toEqual([false, false])
})

test('exchanged tokens end when a secret of the client is deleted, not when one is added', async () => {
  const service = await newService()
  const held = await obtain(service)
  const path = `/api/admin/clients/${service.id}/secrets`
  const added = await admin<{ clientSecret: string }>(url, path, {})
  expect(await usesOf(held)).toEqual([true, true])
  const [leaked] = await nodes.here.ctx.db
    .selectFrom('client_secrets')
    .select('id')
    .where('client_id', '=', service.id)
    .orderBy('created_at')
    .execute()
  await nodes.remove(`/clients/${service.id}/secrets/${leaked?.id}`)
  expect(await usesOf(held)).toEqual([false, false])
  nodes.here.advance(2_000)
  expect(await usesOf(await obtain({ ...service, clientSecret: added.clientSecret }))).toEqual([true, true])
})

test('exchanged tokens end when a key of the client is removed, not when one is added or it is renamed', async () => {
  const [old, next] = [await newKey('ES256'), await newKey('ES256')]
  const keys = (...list: TestKey[]) => ({ jwks: { keys: list.map(({ publicJwk }) => publicJwk) } })
  const service = await newService({ tokenEndpointAuthMethod: 'private_key_jwt', ...keys(old) })
  const held = await obtainWithKey(service, old)
  await change(service, { name: 'Renamed', ...keys(next, old) })
  expect(await usesOf(held)).toEqual([true, true])
  await change(service, keys(next))
  expect(await usesOf(held)).toEqual([false, false])
  await change(service, keys(next, old))
  expect(await usesOf(held)).toEqual([false, false])
})

test('exchanged tokens end when the client authenticates in another way', async () => {
  const service = await newService()
  const held = await obtain(service)
  const { publicJwk } = await newKey('ES256')
  await change(service, { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [publicJwk] } })
  expect(await usesOf(held)).toEqual([false, false])
})

test('a client whose application was third-party for a while does not get its exchanged tokens back', async () => {
  const service = await newService()
  const held = await obtain(service)
  await nodes.patch(`/applications/${applicationId}`, { trusted: false })
  expect(await usesOf(held)).toEqual([false, false])
  await nodes.patch(`/applications/${applicationId}`, { trusted: true })
  expect(await usesOf(held)).toEqual([false, false])
  nodes.here.advance(2_000)
  expect(await usesOf(await obtain(service))).toEqual([true, true])
})

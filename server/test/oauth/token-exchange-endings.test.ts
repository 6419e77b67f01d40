import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, authorize, CALLBACK, claimsOf, exchange, introspect, userinfo } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'
import { exchangeToken } from './exchange-steps.ts'
import { type RegisteredClient, startTwoNodes, type TwoNodes } from './two-nodes.ts'

// An exchanged token ends with everything that the subject token depends on, with the subject token itself, and with
// each of its actors. Each test exchanges a token twice, and expects both new tokens to end on both nodes.

let nodes: TwoNodes
let here: TestService
let there: TestService
/** For the tests that change neither. */
let people: People
let clients: Clients
beforeAll(async () => {
  nodes = await startTwoNodes()
  ;({ here, there } = nodes)
  people = await newPeople()
  clients = await newClients()
})
afterAll(() => nodes?.close())

interface People {
  company: TestTenant
  member: TestUser
  membershipId: string
}

interface Clients {
  applicationId: string
  spa: RegisteredClient
  first: RegisteredClient
  second: RegisteredClient
  resource: { id: string; uri: string }
}

interface Fixture extends People, Clients {
  refreshToken: string
  subject: string
  /** For the application, by the first client. */
  exchanged: string
  /** For the resource, by the second client after the first. */
  exchangedTwice: string
}

const SCOPES = ['openid', 'offline_access', 'read']

async function newPeople(): Promise<People> {
  const [company, member] = [await insertTenant(here), await createSignedInUser(here)]
  await insertMembership(here, company, await insertUser(here), { role: 'owner' })
  return { company, member, membershipId: await insertMembership(here, company, member) }
}

async function newClients(): Promise<Clients> {
  const draft = { redirectUris: [CALLBACK], scopes: SCOPES }
  const { applicationId, client: spa } = await nodes.newClient({ kind: 'SPA', ...draft })
  const newService = () =>
    admin<RegisteredClient>(here.url, '/api/admin/clients', {
      applicationId,
      name: 'Service',
      kind: 'WEB',
      ...draft,
      tokenExchange: true,
    })
  const uri = `https://api.example.com/${randomUUID()}`
  const body = { applicationId, name: 'API', uri, scopes: ['read'] }
  const resource = await admin<{ id: string; uri: string }>(here.url, '/api/admin/resources', body)
  return { applicationId, spa, first: await newService(), second: await newService(), resource }
}

/** New tokens, of the people and clients of all tests unless others are given. */
async function newFixture(own: Partial<People & Clients> = {}): Promise<Fixture> {
  const fixture = { ...people, ...clients, ...own }
  const { company, member, spa, first, second, resource } = fixture
  const client_id = spa.clientId
  const parameters = { client_id, tenant: company.slug, scope: SCOPES.join(' ') }
  const { answer } = await authorize(here.url, member.cookie, parameters)
  const { body: tokens } = await exchange(here.url, answer.code, { client_id })
  const subject = tokens.access_token
  const exchanged = (await exchangeToken(here.url, first, subject)).body.access_token
  const twice = await exchangeToken(here.url, second, exchanged, { resource: resource.uri })
  const exchangedTwice = twice.body.access_token
  return { ...fixture, refreshToken: tokens.refresh_token, subject, exchanged, exchangedTwice }
}

/** The uses of a token on both nodes, the other one first. */
async function usesOf(accessToken: string): Promise<unknown[]> {
  await nodes.changesAnnounced()
  const uses = []
  for (const { url } of [there, here]) uses.push((await introspect(url, accessToken)).active)
  return uses
}

const revoke = ({ clientId: client_id }: RegisteredClient, presented: string) =>
  fetch(`${here.url}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: presented, client_id }),
  })
const leave = (id: string) => here.ctx.db.deleteFrom('memberships').where('id', '=', id).execute()
const patch = (path: string, body: object) => nodes.patch(path, body)

type Endings = Record<string, (fixture: Fixture) => Promise<unknown>>

/** What ends both tokens, and changes only tokens. */
const ENDINGS_OF_TOKENS: Endings = {
  'the family is revoked': ({ spa, refreshToken }) => revoke(spa, refreshToken),
  'the subject token is revoked': ({ spa, subject }) => revoke(spa, subject),
  'the first new token is revoked by its client': ({ first, exchanged }) => revoke(first, exchanged),
}

/** What ends both tokens, and changes the user or the tenant. */
const ENDINGS_OF_PEOPLE: Endings = {
  'the session ends': ({ member }) => nodes.remove(`/users/${member.id}/sessions`),
  'the user is disabled': ({ member }) => patch(`/users/${member.id}`, { disabled: true }),
  'the membership is suspended': ({ membershipId: id }) =>
    here.ctx.db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('id', '=', id).execute(),
  'the membership ends': ({ membershipId }) => leave(membershipId),
  'the membership is replaced by a new one': async ({ company, member, membershipId }) => {
    await leave(membershipId)
    await insertMembership(here, company, member)
  },
  'the tenant is suspended': ({ company }) => patch(`/tenants/${company.id}`, { suspended: true }),
  'the tenant begins to require a second factor': ({ company }) =>
    patch(`/tenants/${company.id}`, { mfaPolicy: 'REQUIRED' }),
}

/** What ends both tokens, and changes a client or the application. */
const ENDINGS_OF_CLIENTS: Endings = {
  'the client of the subject token is disabled': ({ spa }) => patch(`/clients/${spa.id}`, { disabled: true }),
  'the client of the subject token is deleted': ({ spa }) => nodes.remove(`/clients/${spa.id}`),
  'the first actor is disabled': ({ first }) => patch(`/clients/${first.id}`, { disabled: true }),
  'the first actor is deleted': ({ first }) => nodes.remove(`/clients/${first.id}`),
  'the first actor may no longer exchange tokens': ({ first }) =>
    patch(`/clients/${first.id}`, { tokenExchange: false }),
  'the application becomes third-party': ({ applicationId }) =>
    patch(`/applications/${applicationId}`, { trusted: false }),
  'the application is deleted': ({ applicationId }) => nodes.remove(`/applications/${applicationId}`),
}

describe('an exchanged token is invalid on the other node as soon as', () => {
  const own: [Endings, () => Promise<Partial<People & Clients>>][] = [
    [ENDINGS_OF_TOKENS, async () => ({})],
    [ENDINGS_OF_PEOPLE, newPeople],
    [ENDINGS_OF_CLIENTS, newClients],
  ]
  const cases = own.flatMap(([endings, create]) =>
    Object.entries(endings).map(([name, end]) => [name, { end, create }] as const),
  )

  test.each(cases)('%s', async (_, { end, create }) => {
    const fixture = await newFixture(await create())
    const { exchanged, exchangedTwice } = fixture
    for (const held of [exchanged, exchangedTwice]) expect(await usesOf(held)).toEqual([true, true])
    await end(fixture)
    for (const held of [exchanged, exchangedTwice]) expect(await usesOf(held)).toEqual([false, false])
  })

  const LATER: Endings = {
    'its own actor is disabled': ({ second }) => patch(`/clients/${second.id}`, { disabled: true }),
    'its own actor may no longer exchange tokens': ({ second }) =>
      patch(`/clients/${second.id}`, { tokenExchange: false }),
    'its own actor is deleted and registered again': async ({ second, applicationId }) => {
      await nodes.remove(`/clients/${second.id}`)
      // A token issued in the second of the registration stays valid.
      here.advance(2_000)
      await admin(here.url, '/api/admin/clients', {
        applicationId,
        name: 'Again',
        kind: 'WEB',
        redirectUris: [CALLBACK],
        clientId: second.clientId,
        tokenExchange: true,
      })
    },
    'it is revoked': ({ second, exchangedTwice }) => revoke(second, exchangedTwice),
    'its resource is deleted': ({ resource }) => nodes.remove(`/resources/${resource.id}`),
  }

  test.each(Object.entries(LATER))('%s, but the token before stays valid', async (_, end) => {
    const fixture = await newFixture(await newClients())
    await end(fixture)
    expect(await usesOf(fixture.exchangedTwice)).toEqual([false, false])
    expect(await usesOf(fixture.exchanged)).toEqual([true, true])
    expect(await userinfo(there.url, fixture.subject)).toBe(200)
  })

  test('the resource no longer allows the client of another application', async () => {
    const { subject, first } = await newFixture()
    const { applicationId } = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
    const uri = `https://api.example.com/${randomUUID()}`
    const body = { applicationId, name: 'API', uri, scopes: ['read'], allowedClients: [first.clientId] }
    const { id } = await admin<{ id: string }>(here.url, '/api/admin/resources', body)
    const { body: tokens } = await exchangeToken(here.url, first, subject, { resource: uri })
    expect(await usesOf(tokens.access_token)).toEqual([true, true])
    await patch(`/resources/${id}`, { allowedClients: [] })
    expect(await usesOf(tokens.access_token)).toEqual([false, false])
  })
})

test('an exchanged token loses a scope on the other node as soon as a client or the resource loses it', async () => {
  const changes: ((fixture: Fixture) => Promise<unknown>)[] = [
    ({ spa }) => patch(`/clients/${spa.id}`, { scopes: ['openid'] }),
    ({ first }) => patch(`/clients/${first.id}`, { scopes: ['openid'] }),
    ({ second }) => patch(`/clients/${second.id}`, { scopes: ['openid'] }),
    ({ resource }) => patch(`/resources/${resource.id}`, { scopes: ['write'] }),
  ]
  for (const change of changes) {
    const fixture = await newFixture(await newClients())
    expect((await introspect(there.url, fixture.exchangedTwice)).scope).toBe('read')
    await change(fixture)
    await nodes.changesAnnounced()
    expect(await introspect(there.url, fixture.exchangedTwice)).toMatchObject({ active: true, scope: '' })
  }
})

test('a token that was exchanged from one for a resource loses a scope as soon as that resource loses it', async () => {
  const scopes = ['openid', 'read', 'write']
  const { applicationId, client: spa } = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK], scopes })
  const draft = { applicationId, name: 'Service', kind: 'WEB', redirectUris: [CALLBACK], scopes, tokenExchange: true }
  const recipient = await admin<RegisteredClient>(here.url, '/api/admin/clients', draft)
  const newResource = () => {
    const uri = `https://api.example.com/${randomUUID()}`
    const body = { applicationId, name: 'API', uri, scopes: ['read', 'write'] }
    return admin<{ id: string; uri: string }>(here.url, '/api/admin/resources', body)
  }
  const [received, used] = [await newResource(), await newResource()]
  const client_id = spa.clientId
  const parameters = { client_id, scope: scopes.join(' '), resource: received.uri }
  const { answer } = await authorize(here.url, (await createSignedInUser(here)).cookie, parameters)
  const { body } = await exchange(here.url, answer.code, { client_id })
  const { access_token } = (await exchangeToken(here.url, recipient, body.access_token, { resource: used.uri })).body
  expect((await introspect(there.url, access_token)).scope).toBe('read write')
  await patch(`/resources/${received.id}`, { scopes: ['read'] })
  await nodes.changesAnnounced()
  expect(await introspect(there.url, access_token)).toMatchObject({ active: true, scope: 'read' })
})

test('a token of a third-party application that the recipient exchanged ends with the consent', async () => {
  const recipient = await nodes.newClient({
    kind: 'WEB',
    redirectUris: [CALLBACK],
    scopes: ['read'],
    tokenExchange: true,
  })
  const { applicationId, client } = await nodes.newClient({
    kind: 'SPA',
    redirectUris: [CALLBACK],
    scopes: ['openid', 'read'],
  })
  await patch(`/applications/${applicationId}`, { trusted: false })
  const member = await createSignedInUser(here)
  const uris = [`https://api.example.com/${randomUUID()}`, `https://api.example.com/${randomUUID()}`]
  for (const [index, uri] of uris.entries())
    await admin(here.url, '/api/admin/resources', {
      applicationId: recipient.applicationId,
      name: 'API',
      uri,
      scopes: ['read'],
      allowedClients: index === 0 ? [client.clientId] : [],
    })
  const [received = '', used = ''] = uris
  await here.ctx.db
    .insertInto('consents')
    .values({
      user_id: member.id,
      application_id: applicationId,
      tenant_id: null,
      scopes: ['openid', received, `${received} read`],
      granted_at: new Date(),
    })
    .execute()
  const client_id = client.clientId
  const { answer } = await authorize(here.url, member.cookie, { client_id, scope: 'openid read', resource: received })
  const { body } = await exchange(here.url, answer.code, { client_id })
  expect(claimsOf(body.access_token).aud).toBe(received)
  const acting = await exchangeToken(here.url, recipient.client, body.access_token, { resource: used })
  expect(await usesOf(acting.body.access_token)).toEqual([true, true])
  const withdrawn = await call(`${here.url}/api/users/me/consents/${applicationId}`, {
    method: 'DELETE',
    headers: { cookie: member.cookie, origin: here.url },
  })
  expect(withdrawn.status).toBe(200)
  expect(await usesOf(acting.body.access_token)).toEqual([false, false])
})

test('an exchange on another node is refused as soon as the subject token or the permission has ended', async () => {
  const one = await newFixture(await newClients())
  await patch(`/clients/${one.first.id}`, { tokenExchange: false })
  await nodes.changesAnnounced()
  expect((await exchangeToken(there.url, one.first, one.subject)).body.error).toBe('unauthorized_client')
  const other = await newFixture(await newPeople())
  expect((await exchangeToken(there.url, other.first, other.subject)).status).toBe(200)
  // Without waiting: the subject token is read from the database.
  await leave(other.membershipId)
  await insertMembership(here, other.company, other.member)
  expect((await exchangeToken(there.url, other.first, other.subject)).body.error).toBe('invalid_request')
})

test('the license in a new token is that of the moment of the exchange', async () => {
  const { first, subject, applicationId, company } = await newFixture(await newClients())
  await patch(`/applications/${applicationId}`, { licensingMode: 'FREE' })
  const draft = { applicationId, name: 'Basic', slug: 'basic' }
  const created = await admin<{ id: string }>(here.url, '/api/licensing/license-types', draft)
  await nodes.changesAnnounced()
  const licensed = await exchangeToken(there.url, first, subject)
  expect(claimsOf(licensed.body.access_token)).toMatchObject({ tenant_id: company.id, license: { type: 'basic' } })
  await admin(here.url, `/api/licensing/license-types/${created.id}`, { status: 'ARCHIVED' }, 'PATCH')
  await nodes.changesAnnounced()
  const unlicensed = await exchangeToken(there.url, first, subject)
  expect(claimsOf(unlicensed.body.access_token).license).toBeUndefined()
})

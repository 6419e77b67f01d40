import { sql } from 'kysely'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import { whileLocked } from '../support/locks.ts'
import { FULL, rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  admin,
  CALLBACK,
  claimsOf,
  exchange,
  findIds,
  introspect,
  refresh,
  signIn,
  startDemoService,
  thirdParty,
  token,
  userinfo,
} from '../support/world.ts'
import { askForCodes, DEVICE_GRANT, decide, poll, setDeviceFlow, typeCode } from './device-steps.ts'
import { ASSERTION_TYPE, newKey, newKeyClient, sign, validClaims } from './key-clients.ts'

let service: TestService
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
})
afterAll(() => service.close())
beforeEach(() => setDeviceFlow(service, 'demo-spa', true))

const newCodes = async (form: Record<string, string> = {}) => (await askForCodes(url, form)).body
const SECOND = 1_000

/** The client waits for the interval before it asks. In the quick run it does not. */
const withoutWait = <T extends { interval?: number }>(codes: T): T => (FULL ? codes : { ...codes, interval: 0 })

test('a device gets the tokens of the person who allows it, with openid-client', async () => {
  const config = await client.discovery(new URL(url), 'demo-spa', undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  })
  const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
  await decide(url, cookie, codes as never)
  const tokens = await client.pollDeviceAuthorizationGrant(config, withoutWait(codes))
  expect(tokens.claims()).toMatchObject({ email: 'mia@acme.test', amr: ['pwd'] })
  expect(claimsOf(tokens.access_token)).toMatchObject({ client_id: 'demo-spa', tenant_slug: 'acme' })
  expect(tokens.scope).toBe('openid email offline_access')
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(await userinfo(url, refreshed.access_token)).toBe(200)
})

test('a confidential client gets its tokens, with oauth4webapi', async () => {
  await setDeviceFlow(service, 'demo-web', true)
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(url)
  const discovered = await oauth.discoveryRequest(issuer, insecure)
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const web = { client_id: 'demo-web' }
  const secret = oauth.ClientSecretBasic('demo-web-secret')
  const asked = await oauth.deviceAuthorizationRequest(server, web, secret, { scope: 'openid' }, insecure)
  const codes = await oauth.processDeviceAuthorizationResponse(server, web, asked)
  const request = () => oauth.deviceCodeGrantRequest(server, web, secret, codes.device_code, insecure)
  await expect(oauth.processDeviceCodeResponse(server, web, await request())).rejects.toMatchObject({
    error: 'authorization_pending',
  })
  await decide(url, cookie, codes as never)
  const tokens = await oauth.processDeviceCodeResponse(server, web, await request())
  expect(tokens).toMatchObject({ scope: 'openid', token_type: 'bearer' })
  expect(tokens.refresh_token).toBeUndefined()
})

test('a client with a key gets its tokens, with openid-client', async () => {
  const key = await newKey('ES256')
  const { clientId } = await newKeyClient(url, {
    kind: 'WEB',
    redirectUris: [CALLBACK],
    scopes: ['openid', 'email'],
    deviceFlow: true,
    jwks: { keys: [key.publicJwk] },
  })
  const auth = client.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
  const config = await client.discovery(new URL(url), clientId, undefined, auth, {
    execute: [client.allowInsecureRequests],
  })
  const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid email' })
  await decide(url, cookie, codes as never)
  const tokens = await client.pollDeviceAuthorizationGrant(config, withoutWait(codes))
  expect(tokens.claims()).toMatchObject({ aud: clientId, email: 'mia@acme.test' })
  await setDeviceFlow(service, clientId, false)
})

test('the codes of a client with a key are not given without a valid assertion', async () => {
  const key = await newKey('ES256')
  const { clientId: client_id } = await newKeyClient(url, {
    kind: 'WEB',
    redirectUris: [CALLBACK],
    scopes: ['openid'],
    deviceFlow: true,
    jwks: { keys: [key.publicJwk] },
  })
  const ask = async (assertion: string) => {
    const form = { client_id, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion }
    const { status, body } = await askForCodes(url, form)
    return { status, error: body.error }
  }
  const assertion = await sign(key, validClaims(url, client_id))
  expect(await ask(assertion)).toEqual({ status: 200, error: undefined })
  expect(await ask(assertion)).toEqual({ status: 401, error: 'invalid_client' })
  const foreign = await sign(await newKey('ES256', key.kid), validClaims(url, client_id))
  expect(await ask(foreign)).toEqual({ status: 401, error: 'invalid_client' })
  expect(await askForCodes(url, { client_id })).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  await setDeviceFlow(service, client_id, false)
})

test('the response has codes for ten minutes, and both are stored as hashes only', async () => {
  const { status, headers, body } = await askForCodes(url)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${url}/device`,
    verification_uri_complete: `${url}/device?user_code=${body.user_code}`,
    expires_in: 600,
    interval: 5,
  })
  const stored = JSON.stringify(await service.ctx.db.selectFrom('device_authorizations').selectAll().execute())
  expect(stored).not.toContain(body.device_code)
  expect(stored).not.toContain(body.user_code.replace('-', ''))
  await decide(url, cookie, body)
  await poll(url, body)
  const logged = JSON.stringify(service.logs)
  expect(logged).not.toContain(body.device_code)
  expect(logged).not.toContain(body.user_code)
})

test.each([
  ['without the switch', { client_id: 'demo-web', client_secret: 'demo-web-secret' }, 'unauthorized_client'],
  ['as a machine', { client_id: 'demo-machine', client_secret: 'demo-machine-secret' }, 'unauthorized_client'],
  ['without its secret', { client_id: 'demo-web' }, 'invalid_client'],
  ['that is unknown', { client_id: 'nobody' }, 'invalid_client'],
  ['without a name', { client_id: '' }, 'invalid_request'],
])('a client %s is refused', async (_, form, error) => {
  await setDeviceFlow(service, 'demo-web', false)
  expect(await askForCodes(url, form)).toMatchObject({ status: 400, body: { error } })
  const polled = await token(url, { grant_type: DEVICE_GRANT, device_code: 'x', ...form })
  // For a client without the switch, the token endpoint knows no such grant.
  const expected = form.client_id === 'demo-web' && 'client_secret' in form ? 'unsupported_grant_type' : error
  expect(polled).toMatchObject({ status: 400, body: { error: expected } })
})

test('a machine client cannot have the switch', async () => {
  await expect(setDeviceFlow(service, 'demo-machine', true)).rejects.toThrow('VALIDATION_FAILED')
})

test('the metadata lists the grant only while a client may use it', async () => {
  const read = async () =>
    (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as Record<string, string | string[]>
  await expect.poll(async () => (await read()).grant_types_supported).toContain(DEVICE_GRANT)
  expect((await read()).device_authorization_endpoint).toBe(`${url}/api/oauth/device_authorization`)
  for (const clientId of ['demo-spa', 'demo-web']) await setDeviceFlow(service, clientId, false)
  await expect
    .poll(async () => (await read()).grant_types_supported)
    .toEqual(['authorization_code', 'refresh_token', 'client_credentials'])
  expect(await read()).not.toHaveProperty('device_authorization_endpoint')
})

test('a device that waits as told stays pending; one that hurries must wait longer each time', async () => {
  const codes = await newCodes()
  const error = async () => (await poll(url, codes)).body.error
  expect(await error()).toBe('authorization_pending')
  service.advance(5 * SECOND)
  expect(await error()).toBe('authorization_pending')
  expect(await error()).toBe('slow_down')
  // Ten seconds now.
  service.advance(6 * SECOND)
  expect(await error()).toBe('slow_down')
  service.advance(15 * SECOND)
  expect(await error()).toBe('authorization_pending')
  await decide(url, cookie, codes)
  expect((await poll(url, codes)).status).toBe(200)
})

test.each(rounds(20))('of 20 requests at once, all but one are too early (round %d)', async () => {
  const codes = await newCodes()
  const errors = await Promise.all(Array.from({ length: 20 }, async () => (await poll(url, codes)).body.error))
  expect(errors.filter((error) => error === 'authorization_pending')).toHaveLength(1)
  expect(errors.filter((error) => error === 'slow_down')).toHaveLength(19)
  const row = await service.ctx.db
    .selectFrom('device_authorizations')
    .select('poll_interval')
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  expect(row?.poll_interval).toBe(5 + 19 * 5)
})

test.each(rounds(20))('of 20 requests at once after the approval, one gets tokens (round %d)', async () => {
  const codes = await newCodes()
  await decide(url, cookie, codes)
  const replies = await Promise.all(Array.from({ length: 20 }, () => poll(url, codes)))
  const [success, ...others] = replies.sort((one, other) => one.status - other.status)
  expect(success?.status).toBe(200)
  for (const { body } of others) expect(body.error).toBe('invalid_grant')
  expect((await refresh(url, success?.body.refresh_token ?? '')).status).toBe(200)
})

test('codes expire, before and after the approval', async () => {
  const [pending, allowed, used] = [await newCodes(), await newCodes(), await newCodes()]
  for (const codes of [allowed, used]) await decide(url, cookie, codes)
  await poll(url, used)
  service.advance(601 * SECOND)
  expect((await poll(url, pending)).body.error).toBe('expired_token')
  expect((await poll(url, allowed)).body.error).toBe('expired_token')
  expect((await poll(url, used)).body.error).toBe('invalid_grant')
})

test('a refused device gets access_denied', async () => {
  const codes = await newCodes()
  const page = await decide(url, cookie, codes, 'refuse')
  expect(page.text).toContain('The device was refused')
  for (const _ of [1, 2])
    expect(await poll(url, codes)).toMatchObject({ status: 400, body: { error: 'access_denied' } })
})

test('a device code is for its client and its grant type only', async () => {
  const other = await thirdParty(url)
  await setDeviceFlow(service, other.clientId, true)
  const codes = await newCodes()
  await decide(url, cookie, codes)
  const refused = { status: 400, body: { error: 'invalid_grant' } }
  expect(await poll(url, codes, { client_id: other.clientId })).toMatchObject(refused)
  expect(await exchange(url, codes.device_code)).toMatchObject(refused)
  expect(await poll(url, { ...codes, device_code: codes.user_code })).toMatchObject(refused)
  expect((await poll(url, codes, { device_code: '' })).body.error).toBe('invalid_request')
  expect((await poll(url, codes)).status).toBe(200)
})

test('a consent that is withdrawn while a device is allowed leaves no grant', async () => {
  const { clientId: client_id } = await thirdParty(url, 'Withdrawn')
  await setDeviceFlow(service, client_id, true)
  const person = await createSignedInUser(service)
  await decide(url, person.cookie, await newCodes({ client_id }))
  const codes = await newCodes({ client_id })
  const tab = openTab(url, person.cookie)
  await typeCode(tab, codes.user_code)
  const { id } = await service.ctx.db
    .selectFrom('device_authorizations')
    .select('id')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow()
  const hold = { statement: 'select from device_authorizations where id = $1 for update', values: [id] }
  const { allowing } = await whileLocked(service, hold, async (waitFor) => {
    const result = tab.submit({ decision: 'allow' })
    await waitFor(1)
    expect((await person.call('DELETE', '/api/users/me/consents')).body).toMatchObject({ count: 1 })
    return { allowing: result }
  })
  await allowing
  expect((await poll(url, codes, { client_id })).body.error).toBe('authorization_pending')
})

test('what ends between the approval and the request ends the device code', async () => {
  const person = await createSignedInUser(service)
  const { cookie: owner } = person
  const codes = [await newCodes(), await newCodes()] as const
  for (const code of codes) await decide(url, owner, code)
  // Turning the switch off and on again does not bring it back.
  await setDeviceFlow(service, 'demo-spa', false)
  expect((await poll(url, codes[0])).body.error).toBe('unsupported_grant_type')
  await setDeviceFlow(service, 'demo-spa', true)
  expect((await poll(url, codes[0])).body.error).toBe('invalid_grant')
  const late = await newCodes()
  await decide(url, owner, late)
  await admin(url, `/api/admin/users/${person.id}`, { disabled: true }, 'PATCH')
  expect((await poll(url, late)).body.error).toBe('invalid_grant')
})

test('a disabled client gets nothing, and its waiting devices end', async () => {
  const { applicationId } = await service.ctx.db
    .selectFrom('clients')
    .select('application_id as applicationId')
    .where('client_id', '=', 'demo-spa')
    .executeTakeFirstOrThrow()
  const draft = { applicationId, kind: 'SPA', name: 'TV', redirectUris: [CALLBACK], deviceFlow: true }
  const tv = await admin<{ id: string; clientId: string }>(url, '/api/admin/clients', draft)
  const codes = await newCodes({ client_id: tv.clientId })
  await decide(url, cookie, codes)
  await admin(url, `/api/admin/clients/${tv.id}`, { disabled: true }, 'PATCH')
  expect((await poll(url, codes, { client_id: tv.clientId })).body.error).toBe('invalid_client')
  await admin(url, `/api/admin/clients/${tv.id}`, { disabled: false }, 'PATCH')
  expect((await poll(url, codes, { client_id: tv.clientId })).body.error).toBe('invalid_grant')
})

test('a member who is removed gets no tokens, and issued ones end with the session', async () => {
  const person = await createSignedInUser(service)
  await addMember(service, person.email, 'acme')
  const { tenantId } = await findIds(service, person.email, 'acme')
  const [kept, late] = [await newCodes(), await newCodes()]
  for (const codes of [kept, late]) await decide(url, person.cookie, codes)
  const { body } = await poll(url, kept)
  expect(claimsOf(body.access_token).tenant_id).toBe(tenantId)
  await service.ctx.db.deleteFrom('memberships').where('user_id', '=', person.id).execute()
  expect((await poll(url, late)).body.error).toBe('invalid_grant')
  const again = await createSignedInUser(service)
  const codes = await newCodes()
  await decide(url, again.cookie, codes)
  const issued = (await poll(url, codes)).body
  expect((await introspect(url, issued.access_token)).active).toBe(true)
  await service.ctx.db.deleteFrom('sessions').where('user_id', '=', again.id).execute()
  await service.ctx.changes.waitUntilCurrent()
  expect((await introspect(url, issued.access_token)).active).toBe(false)
  expect((await refresh(url, issued.refresh_token)).body.error).toBe('invalid_grant')
})

test('a resource is refused, for the codes and for the tokens', async () => {
  const refused = { status: 400, body: { error: 'invalid_target' } }
  const resource = 'https://api.example.com/mcp'
  expect(await askForCodes(url, { resource })).toMatchObject(refused)
  const codes = await newCodes()
  await decide(url, cookie, codes)
  expect(await poll(url, codes, { resource })).toMatchObject(refused)
  // The code stays valid.
  expect((await poll(url, codes)).status).toBe(200)
})

test('a public client can ask for 200 codes from one network in a quarter of an hour, another for 20,000', async () => {
  await setDeviceFlow(service, 'demo-web', true)
  const web = { client_id: 'demo-web', client_secret: 'demo-web-secret' }
  const count = async (points: number) => {
    await sql`update throttle set points = ${points}::integer where key like 'device-authorization%'`.execute(
      service.ctx.db,
    )
    return [(await askForCodes(url)).status, (await askForCodes(url, web)).status]
  }
  expect([(await askForCodes(url)).status, (await askForCodes(url, web)).status]).toEqual([200, 200])
  expect(await count(199)).toEqual([200, 200])
  expect(await count(200)).toEqual([429, 200])
  expect(await count(19_999)).toEqual([429, 200])
  expect(await count(20_000)).toEqual([429, 429])
  await sql`delete from throttle where key like 'device-authorization%'`.execute(service.ctx.db)
})

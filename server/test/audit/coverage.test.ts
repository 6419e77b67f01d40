import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  exchange,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  thirdParty,
} from '../support/world.ts'
import { BY_OPS, BY_REQUEST, BY_SYSTEM, captureEntries, captureEntry, logText } from './entries.ts'

let service: TestService
let secrets: string[]
beforeAll(async () => {
  service = await startDemoService()
  secrets = []
})
afterAll(() => service.close())

const post = <T>(path: string, body: unknown, method = 'POST') => admin<T>(service.url, path, body, method)
const newApplication = async (name = 'App') => (await post<{ id: string }>('/api/admin/applications', { name })).id

interface CreatedClient {
  id: string
  clientId: string
  clientSecret: string
  secrets: { id: string }[]
}
const newMachine = async (applicationId: string) => {
  const made = await post<CreatedClient>('/api/admin/clients', {
    applicationId,
    kind: 'MACHINE',
    name: 'Robot',
  })
  secrets.push(made.clientSecret)
  return made
}

test('creating, changing and deleting an application records an entry each, with the actor and the state', async () => {
  let id = ''
  const made = await captureEntry(service, async () => {
    id = await newApplication('Shop')
  })
  const settings = {
    name: 'Shop',
    slug: 'shop',
    trusted: true,
    emailCodes: false,
    signingAlgorithm: 'RS256',
    licensingMode: 'PER_SEAT',
    accessTokenTtl: null,
    idTokenTtl: null,
    refreshTokenIdleTtl: null,
    refreshTokenTtl: null,
  }
  expect(made).toMatchObject({
    action: 'application.created',
    ...BY_OPS,
    details: { applicationId: id, after: settings },
  })
  const path = `/api/admin/applications/${id}`
  const changed = await captureEntry(service, () => post(path, { trusted: false, name: ' Shop ' }, 'PATCH'))
  expect(changed).toMatchObject({ action: 'application.changed', ...BY_OPS })
  expect(changed.details).toEqual({ applicationId: id, before: { trusted: true }, after: { trusted: false } })
  // An update without changes records nothing.
  expect(await captureEntries(service, () => post(path, { trusted: false }, 'PATCH'))).toEqual([])
  await newMachine(id)
  await post('/api/licensing/license-types', { applicationId: id, name: 'Pro', slug: 'pro' })
  const deleted = await captureEntry(service, () => post(path, {}, 'DELETE'))
  expect(deleted).toMatchObject({ action: 'application.deleted', ...BY_OPS })
  expect(deleted.details).toEqual({
    applicationId: id,
    before: { ...settings, trusted: false },
    clients: 1,
    licenseTypes: 1,
  })
})

test('a refused change records no entry', async () => {
  const id = await newApplication('Refused')
  await newApplication('Taken')
  const attempts = () =>
    Promise.allSettled([
      post(`/api/admin/applications/${id}`, { slug: 'taken' }, 'PATCH'),
      post('/api/admin/applications', { name: 'X', slug: 'taken' }),
      post('/api/admin/clients', { applicationId: id, kind: 'WEB', name: 'Without addresses' }),
      post('/api/admin/clients/nope', {}, 'DELETE'),
    ])
  expect(await captureEntries(service, attempts)).toEqual([])
})

test('the ledger contains the actor who deleted an application with its seats', async () => {
  const applicationId = await newApplication('Sold')
  const type = { applicationId, name: 'Pro', slug: 'pro' }
  const { id: licenseTypeId } = await post<{ id: string }>('/api/licensing/license-types', type)
  const { id: tenantId } = await service.ctx.db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow()
  await post(`/api/licensing/tenants/${tenantId}/subscriptions`, { licenseTypeId, quantityPurchased: 3 })
  await post(`/api/admin/applications/${applicationId}`, {}, 'DELETE')
  const last = await service.ctx.db
    .selectFrom('license_ledger')
    .select(['reason', 'actor'])
    .where('application_id', '=', applicationId)
    .orderBy('sequence', 'desc')
    .executeTakeFirst()
  expect(last).toEqual({ reason: 'SUBSCRIPTION_ENDED', actor: 'client:demo-ops' })
})

test('every change of a client records an entry without secrets', async () => {
  const applicationId = await newApplication('With clients')
  let client: CreatedClient | undefined
  const made = await captureEntry(service, async () => {
    client = await newMachine(applicationId)
  })
  const { id = '', clientId, secrets: [first] = [] } = client ?? {}
  const names = { id, clientId, applicationId }
  expect(made).toMatchObject({
    action: 'client.registered',
    ...BY_OPS,
    details: { ...names, after: { kind: 'MACHINE', name: 'Robot', secretIds: [first?.id] } },
  })
  const path = `/api/admin/clients/${id}`
  const changed = await captureEntry(service, () => post(path, { scopes: ['a'], name: 'Robot' }, 'PATCH'))
  expect(changed).toMatchObject({ action: 'client.changed', ...BY_OPS })
  expect(changed.details).toEqual({ ...names, before: { scopes: [] }, after: { scopes: ['a'] } })
  const added = await captureEntry(service, async () => {
    secrets.push((await post<CreatedClient>(`${path}/secrets`, {})).clientSecret)
  })
  expect(added).toMatchObject({ action: 'client.secret_added', ...BY_OPS, details: names })
  const ended = await captureEntry(service, () => post(`${path}/secrets/${first?.id}`, {}, 'DELETE'))
  expect(ended).toMatchObject({ action: 'client.secret_ended', ...BY_OPS })
  expect(ended.details).toEqual({ ...names, secretId: first?.id })
  const deleted = await captureEntry(service, () => post(path, {}, 'DELETE'))
  expect(deleted).toMatchObject({ action: 'client.deleted', ...BY_OPS })
  expect(deleted.details).toMatchObject({ ...names, before: { scopes: ['a'] } })
})

test('every change of a resource records an entry', async () => {
  const applicationId = await newApplication('With an API')
  const uri = 'https://api.example.com/audited'
  let id = ''
  const made = await captureEntry(service, async () => {
    const draft = { applicationId, uri, name: 'Reports', scopes: ['reports:read'] }
    id = (await post<{ id: string }>('/api/admin/resources', draft)).id
  })
  const after = { name: 'Reports', scopes: ['reports:read'], allowedClients: [], allowDynamicClients: false }
  expect(made).toMatchObject({ action: 'resource.registered', ...BY_OPS, details: { id, uri, applicationId, after } })
  const path = `/api/admin/resources/${id}`
  const changed = await captureEntry(service, () => post(path, { scopes: [], name: ' Reports ' }, 'PATCH'))
  expect(changed).toMatchObject({ action: 'resource.changed', ...BY_OPS })
  expect(changed.details).toEqual({
    ...{ id, uri, applicationId },
    before: { scopes: ['reports:read'] },
    after: { scopes: [] },
  })
  expect(await captureEntries(service, () => post(path, { scopes: [] }, 'PATCH'))).toEqual([])
  const deleted = await captureEntry(service, () => post(path, {}, 'DELETE'))
  expect(deleted).toMatchObject({ action: 'resource.deleted', ...BY_OPS, details: { id, before: { scopes: [] } } })
})

test('an action of a Super Admin records the user and the client of the token', async () => {
  const cookie = await signIn(service.url, 'admin@latchkey.test')
  const { access_token } = await obtainTokens(service.url, cookie)
  const headers = { authorization: `Bearer ${access_token}` }
  const body = { name: 'By a person' }
  const made = await captureEntry(service, () =>
    call(`${service.url}/api/admin/applications`, { method: 'POST', headers, body }),
  )
  expect(made).toMatchObject({ actor_kind: 'user', client_id: 'demo-spa', ...BY_REQUEST })
})

const revoke = (token: string) =>
  fetch(`${service.url}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token, client_id: 'demo-spa' }),
  })

test('revoking a token records an entry, and revoking it again records none', async () => {
  const { id, cookie } = await createSignedInUser(service)
  const { access_token, refresh_token } = await obtainTokens(service.url, cookie)
  const actor = {
    actor_kind: 'client',
    actor_id: 'demo-spa',
    client_id: 'demo-spa',
    user_id: id,
    ...BY_REQUEST,
  }
  for (const [token, kind] of [
    [access_token, 'access_token'],
    [refresh_token, 'refresh_token'],
  ] as const) {
    const revoked = await captureEntry(service, () => revoke(token))
    expect(revoked).toMatchObject({ action: 'session.token_revoked', ...actor, details: { kind } })
    expect(await captureEntries(service, () => revoke(token))).toEqual([])
  }
})

test('the reuse of a code or refresh token records an entry', async () => {
  const { id, cookie, tokens } = await createSignedInUser(service)
  const { answer } = await authorize(service.url, cookie)
  await exchange(service.url, answer.code)
  const reused = { action: 'session.token_reused', ...BY_SYSTEM, client_id: 'demo-spa', user_id: id }
  const code = await captureEntry(service, () => exchange(service.url, answer.code))
  expect(code).toMatchObject({ ...reused, ...BY_REQUEST, details: { kind: 'code' } })
  await refresh(service.url, tokens.refresh_token)
  const stolen = () => refresh(service.url, tokens.refresh_token)
  const token = await captureEntry(service, () => Promise.all([stolen(), stolen(), stolen()]))
  expect(token).toMatchObject({ ...reused, details: { kind: 'refresh_token' } })
  expect(await captureEntries(service, stolen)).toEqual([])
})

/** Opens the consent page of a third-party application and returns a function that submits the consent. */
async function prepareConsent(clientId: string, cookie: string): Promise<() => Promise<Response>> {
  const page = await authorize(service.url, cookie, { client_id: clientId, redirect_uri: CALLBACK })
  const html = await page.response.text()
  const action = /action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const cookies = [cookie, ...page.response.headers.getSetCookie().map((one) => one.split(';')[0])].join('; ')
  return () =>
    fetch(service.url + action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookies },
      body: new URLSearchParams({ csrf, decision: 'allow' }),
    })
}

test('giving consent to an application records an entry', async () => {
  const { id, cookie } = await createSignedInUser(service)
  const { clientId } = await thirdParty(service.url)
  const allow = await prepareConsent(clientId, cookie)
  expect(await captureEntry(service, allow)).toMatchObject({
    action: 'user.consented',
    actor_kind: 'user',
    actor_id: id,
    user_id: id,
    client_id: clientId,
    ...BY_REQUEST,
    details: { scopes: ['openid', 'profile', 'email', 'offline_access'] },
  })
})

test('a logout by a third-party application records one entry for all of its tokens', async () => {
  const { id, cookie } = await createSignedInUser(service)
  const { clientId } = await thirdParty(service.url)
  await (await prepareConsent(clientId, cookie))()
  const client = { client_id: clientId, redirect_uri: CALLBACK }
  const newTokens = async () => {
    const { answer } = await authorize(service.url, cookie, client)
    return (await exchange(service.url, answer.code, client)).body
  }
  const { id_token } = await newTokens()
  await newTokens()
  const logOut = () => fetch(`${service.url}/api/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`)
  expect(await captureEntry(service, logOut)).toMatchObject({
    action: 'session.token_revoked',
    actor_kind: 'client',
    actor_id: clientId,
    client_id: clientId,
    user_id: id,
    ...BY_REQUEST,
    details: { kind: 'id_token', sessionId: expect.any(String) },
  })
  expect(await captureEntries(service, logOut)).toEqual([])
})

test('the audit log contains no secret', async () => {
  const text = await logText(service)
  expect(secrets.length).toBeGreaterThan(2)
  for (const secret of [...secrets, 'demo-ops-secret', 'demo-machine-secret', 'demo-web-secret']) {
    expect(text).not.toContain(secret)
  }
  const hashes = await service.ctx.db.selectFrom('client_secrets').select('hash').execute()
  for (const { hash } of hashes) {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(text).not.toContain(hash.toString(encoding))
    }
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { addMember, admin, authorize, CALLBACK, signIn, startDemoService, thirdParty } from '../support/world.ts'
import { documentConfig, openConsent, type Publisher, startPublisher } from './document-clients.ts'
import { REDIRECT_URI, register } from './registration/calls.ts'
import { readShownError } from './shown-errors.ts'

// When an error is shown to the user first, instead of being redirected to the client.

let service: TestService
let publisher: Publisher
let url: string
let cookie: string

beforeAll(async () => {
  publisher = await startPublisher()
  service = await startDemoService({ config: { ...documentConfig(), clientRegistration: 'open' } })
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
})
afterAll(async () => {
  await service?.close()
  publisher.close()
})

interface OutsideClient {
  client_id: string
  redirect_uri: string
}

const registered = async (draft: object = {}): Promise<OutsideClient> => ({
  client_id: (await register(url, draft)).client_id,
  redirect_uri: REDIRECT_URI,
})

const described = async (): Promise<OutsideClient> => {
  const redirect_uri = 'http://127.0.0.1/callback'
  return { client_id: publisher.publishDocument({ redirect_uris: [redirect_uri] }), redirect_uri }
}

/** The response of a page that shows an error, with the parameters that the client gets if the user goes back. */
async function openPage(as: string, parameters: Record<string, string>) {
  const { response, location } = await authorize(url, as, parameters)
  const html = await response.text()
  const shown = readShownError(html)
  if (!shown) throw new Error(`no page that leads back: ${response.status} ${location} ${html}`)
  return { status: response.status, html, ...shown }
}

const allow = async (client: OutsideClient, parameters: Record<string, string> = {}) =>
  (await openConsent({ url }, cookie, { ...client, ...parameters })).decide('allow')

describe.each([
  ['that registered itself', registered],
  ['with a document', described],
] as const)('a client %s', (_, newClient) => {
  test.each([
    ['an unknown response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a missing challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['prompt=none', { prompt: 'none' }, 'consent_required'],
    ['an unknown resource', { resource: 'https://api.example.com/unknown' }, 'invalid_target'],
  ])('leads nobody to its address by %s before the user has allowed it', async (_name, parameters, code) => {
    const client = await newClient()
    const page = await openPage(cookie, { ...client, ...parameters })
    expect(page).toMatchObject({ status: 400, address: client.redirect_uri })
    expect(page.answer).toMatchObject({ error: code, state: 'st', iss: url })
    expect(page.html).toContain('Nobody has checked this application')
    const signedOut = await openPage('', { ...client, ...parameters })
    expect(signedOut.answer.error).toBe(code === 'consent_required' ? 'login_required' : code)
  })

  test('gets errors at once from a user who has allowed it, and from nobody else', async () => {
    const client = await newClient()
    await allow(client)
    const request = { ...client, response_type: 'token' }
    const { answer } = await authorize(url, cookie, request)
    expect(answer).toMatchObject({ error: 'unsupported_response_type', state: 'st' })
    await openPage(await signIn(url, 'max@acme.test'), request)
    await openPage('', request)
  })

  test('gets the refusal of the consent page at once', async () => {
    const page = await openConsent({ url }, cookie, { ...(await newClient()) })
    expect(await page.decide('deny')).toMatchObject({ error: 'access_denied', state: 'st' })
  })

  test('does not learn whether the user is a member of the tenant that it names', async () => {
    const client = await newClient()
    for (const tenant of ['globex', 'unknown']) {
      const page = await openPage(cookie, { ...client, tenant })
      expect(page.status).toBe(403)
      expect(page.html).toContain('Use another account')
      expect(page.answer).toMatchObject({
        error: 'access_denied',
        error_description: 'The user is not an active member of this tenant.',
      })
    }
  })
})

test('errors are not redirected to a new address of a client that the user has allowed with another one', async () => {
  const information = await register(url)
  const client = { client_id: information.client_id, redirect_uri: REDIRECT_URI }
  await allow(client)
  const redirect_uri = 'https://elsewhere.example.com/callback'
  const response = await fetch(information.registration_client_uri, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', authorization: `Bearer ${information.registration_access_token}` },
    body: JSON.stringify({
      client_id: client.client_id,
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: 'none',
    }),
  })
  expect(response.status).toBe(200)
  expect((await openPage(cookie, { ...client, redirect_uri, response_type: 'token' })).address).toBe(redirect_uri)
})

describe('a third-party application of an administrator', () => {
  test('gets errors of the request at once', async () => {
    const { clientId: client_id } = await thirdParty(url, 'Partner with errors')
    for (const [parameters, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ prompt: 'none' }, 'consent_required'],
      [{ prompt: 'none', tenant: 'globex' }, 'consent_required'],
    ] as const) {
      expect((await authorize(url, cookie, { client_id, ...parameters })).answer).toMatchObject({ error })
    }
  })

  test('does not learn whether the user is a member of a tenant in which the user has not allowed it', async () => {
    const { clientId: client_id, id } = await thirdParty(url, 'Partner of tenants')
    for (const tenant of ['globex', 'unknown']) {
      const page = await openPage(cookie, { client_id, tenant })
      expect(page).toMatchObject({ status: 403, address: CALLBACK })
      expect(page.answer).toEqual({
        error: 'access_denied',
        error_description: 'The user is not an active member of this tenant.',
        state: 'st',
        iss: url,
      })
      expect(page.html).not.toContain('Nobody has checked')
    }
    await admin(url, `/api/admin/clients/${id}`, { responseModes: ['query', 'form_post'] }, 'PATCH')
    const { response } = await authorize(url, cookie, { client_id, tenant: 'globex', response_mode: 'form_post' })
    const html = await response.text()
    expect(html).toMatch(/<form method="post" action="http:\/\/localhost:8080\/callback"/)
    expect(html).not.toContain('<script')
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self' http://localhost:8080")
  })

  test('answers for a suspended tenant as for an unknown one', async () => {
    const { clientId: client_id } = await thirdParty(url, 'Partner of the suspended')
    const { id } = await service.ctx.db
      .selectFrom('tenants')
      .select('id')
      .where('slug', '=', 'globex')
      .executeTakeFirstOrThrow()
    await addMember(service, 'adam@acme.test', 'globex')
    const adam = await signIn(url, 'adam@acme.test')
    await admin(url, `/api/admin/tenants/${id}`, { suspended: true }, 'PATCH')
    const { answer } = await openPage(adam, { client_id, tenant: 'globex' })
    const unknown = await openPage(adam, { client_id, tenant: 'unknown' })
    expect(answer).toEqual(unknown.answer)
    await admin(url, `/api/admin/tenants/${id}`, { suspended: false }, 'PATCH')
  })

  test('gets the error at once for a tenant in which the user has allowed it', async () => {
    const { clientId: client_id } = await thirdParty(url, 'Partner with consent')
    await allow({ client_id, redirect_uri: CALLBACK }, { tenant: 'acme' })
    const { id } = await service.ctx.db
      .selectFrom('tenants')
      .select('id')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow()
    await admin(url, `/api/admin/tenants/${id}`, { suspended: true }, 'PATCH')
    const { answer } = await authorize(url, cookie, { client_id, tenant: 'acme' })
    expect(answer).toMatchObject({ error: 'access_denied', error_description: 'This tenant is suspended.' })
    await admin(url, `/api/admin/tenants/${id}`, { suspended: false }, 'PATCH')
  })
})

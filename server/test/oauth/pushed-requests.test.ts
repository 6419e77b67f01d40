import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import { openTab } from '../invitations/browser-tab.ts'
import { whileLocked } from '../support/locks.ts'
import { countRefusals } from '../support/rate-limits.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  authorize,
  authorizeUrl,
  CALLBACK,
  changeClient,
  claimsOf,
  exchange,
  PASSWORD,
  signIn,
  startDemoService,
  thirdParty,
} from '../support/world.ts'

let service: TestService
let url: string
let cookie: string

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
})
afterAll(() => service.close())
beforeEach(() => {
  service.logs.length = 0
})
afterEach(() => change('demo-spa', { requirePushedRequests: false, responseModes: ['query'] }))

const change = (clientId: string, settings: object) => changeClient(service, clientId, settings)

const PREFIX = 'urn:ietf:params:oauth:request_uri:'
const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
const parametersOf = (parameters: Record<string, string> = {}) => new URL(authorizeUrl(url, parameters)).searchParams

interface Pushed {
  request_uri: string
  expires_in: number
  error?: string
  error_description?: string
}

async function post(body: URLSearchParams | string, headers: Record<string, string> = {}, query = '') {
  const response = await fetch(`${url}/api/oauth/par${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })
  return { response, status: response.status, body: (await response.json()) as Pushed }
}

const push = (parameters: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  post(parametersOf(parameters), headers)

async function pushed(parameters: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const { status, body } = await push(parameters, headers)
  expect(body).toEqual({
    request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/),
    expires_in: 60,
  })
  expect(status).toBe(201)
  return body.request_uri
}

/** The same without the origin. */
const pathTo = (request_uri: string, client_id?: string) => referTo(request_uri, client_id).slice(url.length)

const referTo = (request_uri: string, client_id = 'demo-spa', more: Record<string, string> = {}) =>
  `${url}/oauth/authorize?${new URLSearchParams({ client_id, request_uri, ...more })}`

/** Opens the authorization endpoint with a request_uri, and parses the redirect. */
async function open(address: string, headers: Record<string, string> = { cookie }) {
  const response = await fetch(address, { headers, redirect: 'manual' })
  const location = response.headers.get('location') ?? ''
  const answer = Object.fromEntries(URL.canParse(location) ? new URL(location).searchParams : [])
  return { response, status: response.status, location, answer: answer as Record<string, string | undefined> }
}

async function expectErrorPage(address: string, problem: string) {
  service.logs.length = 0
  const { response, status, location } = await open(address)
  expect([status, location]).toEqual([400, ''])
  expect(await response.text()).toContain('has expired or was used before')
  const refusals = service.logs.filter(({ msg }) => msg === 'request refused')
  expect(refusals).toMatchObject([{ error: expect.stringMatching(/^invalid_request/), problem }])
}

const rows = () => service.ctx.db.selectFrom('pushed_requests').selectAll().execute()

describe('pushing', () => {
  test('a public client pushes a request and uses it with only client_id and request_uri', async () => {
    const { response, body } = await push()
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { answer } = await open(referTo(body.request_uri))
    expect(answer).toEqual({ code: expect.any(String), state: 'st', iss: url })
    const { status, body: tokens } = await exchange(url, answer.code)
    expect(status).toBe(200)
    expect(claimsOf(tokens.id_token)).toMatchObject({ nonce: 'n', aud: 'demo-spa' })
  })

  test('a confidential client authenticates in the header or in the body', async () => {
    const web = { client_id: 'demo-web' }
    const inHeader = await pushed(web, basic('demo-web', 'demo-web-secret'))
    expect((await open(referTo(inHeader, 'demo-web'))).answer).toHaveProperty('code')
    const withoutId = parametersOf()
    withoutId.delete('client_id')
    expect((await post(withoutId, basic('demo-web', 'demo-web-secret'))).status).toBe(201)
    const inBody = await pushed({ ...web, client_secret: 'demo-web-secret' })
    expect((await open(referTo(inBody, 'demo-web'))).answer).toHaveProperty('code')
  })

  test.each<[string, Record<string, string>, Record<string, string>, number, string]>([
    ['a wrong secret', { client_id: 'demo-web', client_secret: 'wrong' }, {}, 401, 'invalid_client'],
    ['no secret', { client_id: 'demo-web' }, {}, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'nobody' }, {}, 401, 'invalid_client'],
    ['a wrong secret in the header', { client_id: 'demo-web' }, basic('demo-web', 'wrong'), 401, 'invalid_client'],
    ['a header of another client', {}, basic('demo-web', 'demo-web-secret'), 400, 'invalid_request'],
    ['no client', { client_id: '' }, {}, 400, 'invalid_request'],
    ['a machine', { client_id: 'demo-machine', client_secret: 'demo-machine-secret' }, {}, 400, 'unauthorized_client'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.test/' }, {}, 400, 'invalid_request'],
    ['no redirect_uri', { redirect_uri: '' }, {}, 400, 'invalid_request'],
    ['another response_type', { response_type: 'token' }, {}, 400, 'unsupported_response_type'],
    ['no response_type', { response_type: '' }, {}, 400, 'invalid_request'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, {}, 400, 'request_not_supported'],
    ['a request_uri', { request_uri: `${PREFIX}abc` }, {}, 400, 'invalid_request'],
    ['no code_challenge', { code_challenge: '', code_challenge_method: '' }, {}, 400, 'invalid_request'],
    ['no nonce', { nonce: '' }, {}, 400, 'invalid_request'],
    ['an unknown prompt', { prompt: 'please' }, {}, 400, 'invalid_request'],
    ['an invalid max_age', { max_age: '-1' }, {}, 400, 'invalid_request'],
    ['an invalid id_token_hint', { id_token_hint: 'x.y.z' }, {}, 400, 'invalid_request'],
    ['a response_mode that is not allowed', { response_mode: 'form_post' }, {}, 400, 'invalid_request'],
    ['parameters that are too long', { state: 's'.repeat(8_000) }, {}, 400, 'invalid_request'],
  ])(
    '%s is refused with the error of its RFC, and nothing is stored',
    async (_name, parameters, headers, ...expected) => {
      const before = await rows()
      const { status, body, response } = await push(parameters, headers)
      expect([status, body.error]).toEqual(expected)
      expect(body.error_description).toEqual(expect.any(String))
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.has('www-authenticate')).toBe(status === 401 && 'authorization' in headers)
      expect(await rows()).toEqual(before)
      expect(service.logs.filter(({ msg }) => msg === 'request refused')).toMatchObject([{ error: body.error }])
    },
  )

  test('a repeated parameter, parameters in the URL, JSON and a huge body are refused', async () => {
    const twice = `${parametersOf()}&state=other`
    expect(await post(twice)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(await post(parametersOf(), {}, '?state=other')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    expect((await post('{}', { 'Content-Type': 'application/json' })).status).toBe(400)
    expect((await post(parametersOf({ state: 's'.repeat(70_000) }))).status).toBe(413)
  })

  test('neither the reference, the parameters nor the secret are readable in the database', async () => {
    const uri = await pushed({ client_id: 'demo-web', state: 'a-private-state', client_secret: 'demo-web-secret' })
    const text = (await rows()).map(({ hash, sealed_parameters }) => `${hash.toString('latin1')}${sealed_parameters}`)
    for (const part of [uri, uri.slice(PREFIX.length), 'a-private-state', 'demo-web-secret', CALLBACK]) {
      expect(text.join()).not.toContain(part)
    }
    expect((await open(referTo(uri, 'demo-web'), {})).location).toMatch(/^\/login\?/)
    expect(JSON.stringify(service.logs)).not.toContain(uri.slice(PREFIX.length))
  })

  test('one client from one network cannot fill the table', async () => {
    await sql`delete from throttle`.execute(service.ctx.db)
    const refused = await countRefusals(service, 'pushed-requests')
    const statuses: number[] = []
    for (let round = 0; round < 31; round++) {
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, async () => (await push()).status))))
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(300)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(await countRefusals(service, 'pushed-requests')).toBe(refused + 10)
    const { response, body } = await push()
    expect(body.error).toBe('temporarily_unavailable')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await push({ client_id: 'demo-web', client_secret: 'demo-web-secret' })).status).toBe(201)
    await sql`delete from throttle`.execute(service.ctx.db)
    service.advance(61_000)
    const before = (await rows()).length
    for (let round = 0; round < 10; round++) await pushed()
    expect((await rows()).length).toBe(before - 10)
  })
})

describe('using', () => {
  test('only the pushed parameters count', async () => {
    const uri = await pushed({ state: 'pushed' })
    const more = { state: 'other', redirect_uri: 'https://evil.test/', scope: 'email', prompt: 'login', nonce: 'x' }
    const { location, answer } = await open(referTo(uri, 'demo-spa', more))
    expect(location.startsWith(`${CALLBACK}?`)).toBe(true)
    expect(answer.state).toBe('pushed')
    const { body } = await exchange(url, answer.code)
    expect(claimsOf(body.id_token).nonce).toBe('n')
    expect(body.scope.split(' ').sort()).toEqual(['email', 'offline_access', 'openid', 'profile'])
  })

  test('a POST works as a GET does', async () => {
    const body = new URLSearchParams({ client_id: 'demo-spa', request_uri: await pushed() })
    const response = await fetch(`${url}/oauth/authorize`, {
      method: 'POST',
      body,
      headers: { cookie },
      redirect: 'manual',
    })
    expect(response.headers.get('location')).toMatch(/[?&]code=/)
  })

  test('a request_uri is used once', async () => {
    const uri = await pushed()
    expect((await open(referTo(uri))).answer).toHaveProperty('code')
    await expectErrorPage(referTo(uri), 'used')
    await sweepExpired.run(service.ctx, undefined)
    await expectErrorPage(referTo(uri), 'used')
  })

  test('a request_uri of another client, an unknown, a changed and an expired one show an error page', async () => {
    const uri = await pushed()
    await expectErrorPage(referTo(uri, 'demo-web'), 'other_client')
    await expectErrorPage(referTo(uri, 'nobody'), 'other_client')
    await expectErrorPage(referTo(`${PREFIX}${'A'.repeat(43)}`), 'unknown_request_uri')
    await expectErrorPage(referTo(`${uri}A`), 'unknown_request_uri')
    await expectErrorPage(referTo(PREFIX), 'unknown_request_uri')
    await expectErrorPage(`${referTo(uri)}&state=a&state=b`, 'other_parameters')
    await expectErrorPage(referTo(uri, 'demo-spa', { request: 'e30' }), 'other_parameters')
    service.advance(61_000)
    await expectErrorPage(referTo(uri), 'expired')
    await sweepExpired.run(service.ctx, undefined)
    await expectErrorPage(referTo(uri), 'unknown_request_uri')
  })

  test('a repeated client_id or request_uri gets no code', async () => {
    const uri = await pushed()
    for (const repeated of [`client_id=demo-spa`, `request_uri=${uri}`]) {
      const { status, location } = await open(`${referTo(uri)}&${repeated}`)
      expect([status, location]).toEqual([400, ''])
    }
    expect((await open(referTo(uri))).answer).toHaveProperty('code')
  })

  test('a row that was moved to another client cannot be used', async () => {
    const uri = await pushed({ client_id: 'demo-web', client_secret: 'demo-web-secret' })
    await service.ctx.db
      .updateTable('pushed_requests')
      .set(({ selectFrom }) => ({
        client_id: selectFrom('clients').select('id').where('client_id', '=', 'demo-spa').limit(1) as never,
      }))
      .execute()
    await expectErrorPage(referTo(uri), 'sealed_with_another_key')
  })

  test('the request is checked again, as the settings of the client may have changed', async () => {
    const uri = await pushed()
    await change('demo-spa', { pkceMethods: ['plain'] })
    expect((await open(referTo(uri))).answer).toMatchObject({ error: 'invalid_request', state: 'st' })
    await change('demo-spa', { pkceMethods: ['S256', 'plain'] })
    await expectErrorPage(referTo(uri), 'used')
  })

  test('another request_uri is not supported, as before', async () => {
    const { answer } = await authorize(url, cookie, { request_uri: 'https://rp.test/request' })
    expect(answer).toMatchObject({ error: 'request_uri_not_supported', state: 'st' })
  })

  test.each(rounds(20))('one request_uri that is used 20 times at once gives one code (round %i)', async () => {
    const uri = await pushed()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(referTo(uri))))
    const codes = answers.filter(({ answer }) => answer.code !== undefined)
    expect(codes).toHaveLength(1)
    expect(answers.filter(({ status, location }) => status === 400 && location === '')).toHaveLength(19)
    expect((await exchange(url, codes[0]?.answer.code)).status).toBe(200)
  })

  test.each(rounds(20))('a code and an error at once: one of them reaches the client (round %i)', async () => {
    const uri = await pushed({ prompt: 'none' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => open(referTo(uri), index % 2 === 0 ? { cookie } : {})),
    )
    expect(answers.filter(({ location }) => location.startsWith(CALLBACK))).toHaveLength(1)
  })
})

describe('in the login transaction', () => {
  const signInForm = { email: 'mia@acme.test', password: PASSWORD }

  test('the sign-in may take longer than the request_uri lives, pages can be reloaded, and one code is issued', async () => {
    const tab = openTab(url)
    const other = openTab(url)
    const uri = await pushed({ login_hint: 'mia@acme.test' })
    const { location } = await tab.open(pathTo(uri))
    // The same link in another tab, and a reload.
    const second = await other.open(pathTo(uri))
    expect((await tab.open(pathTo(uri))).location).toMatch(/^\/login\?journey=/)
    expect((await tab.open(location)).html).toContain('mia@acme.test')
    service.advance(10 * 60_000)
    await sweepExpired.run(service.ctx, undefined)
    expect((await tab.open(location)).status).toBe(200)
    const next = (await tab.submit(signInForm)).location
    const done = await tab.open(next)
    const code = new URL(done.location).searchParams.get('code') ?? ''
    expect((await exchange(url, code)).status).toBe(200)
    expect((await tab.open(next)).status).toBe(400)
    await other.open(second.location)
    const late = await other.open((await other.submit(signInForm)).location)
    expect([late.status, late.location]).toEqual([400, ''])
  })

  test('prompt=login asks for a new sign-in and then issues the code', async () => {
    const uri = await pushed({ prompt: 'login' })
    const { location } = await open(referTo(uri))
    expect(location).toMatch(/^\/login\?/)
    const tab = openTab(url)
    await tab.open(location)
    const done = await tab.open((await tab.submit(signInForm)).location)
    expect(new URL(done.location).searchParams.get('code')).toBeTruthy()
  })

  test('max_age is kept', async () => {
    service.advance(5_000)
    expect((await open(referTo(await pushed({ max_age: '1' })))).location).toMatch(/^\/login\?/)
    expect((await open(referTo(await pushed({ max_age: '100000' })))).answer).toHaveProperty('code')
  })

  test('prompt=none is kept, and the error uses up the request', async () => {
    const uri = await pushed({ prompt: 'none' })
    expect((await open(referTo(uri), {})).answer).toMatchObject({ error: 'login_required', state: 'st', iss: url })
    await expectErrorPage(referTo(uri), 'used')
  })

  test('tenant is kept', async () => {
    await addMember(service, 'mia@acme.test', 'globex')
    const { answer } = await open(referTo(await pushed({ tenant: 'globex' })))
    const { body } = await exchange(url, answer.code)
    expect(claimsOf(body.access_token).tenant_slug).toBe('globex')
    const refused = await open(referTo(await pushed({ tenant: 'initech' })))
    expect(refused.answer).toMatchObject({ error: 'access_denied' })
  })

  test('response_mode=form_post is kept', async () => {
    await change('demo-spa', { responseModes: ['query', 'form_post'] })
    const { response, status } = await open(referTo(await pushed({ response_mode: 'form_post', tenant: 'acme' })))
    expect(status).toBe(200)
    expect(await response.text()).toMatch(/<form method="post" action="http:\/\/localhost:8080\/callback"/)
  })

  test('a denied consent uses up the request, and an allowed one gives a code', async () => {
    const { clientId } = await thirdParty(url, 'Partner with PAR')
    for (const [decision, name] of [
      ['deny', 'error'],
      ['allow', 'code'],
    ] as const) {
      const tab = openTab(url)
      const uri = await pushed({ client_id: clientId, tenant: 'acme' })
      await tab.open((await tab.open(pathTo(uri, clientId))).location)
      const consent = await tab.open((await tab.submit(signInForm)).location)
      expect(consent.html).toContain('Partner with PAR')
      const decided = await tab.submit({ decision })
      const done = name === 'code' ? await tab.open(decided.location) : decided
      expect(new URL(done.location).searchParams.get(name)).toBeTruthy()
      await expectErrorPage(referTo(uri, clientId), 'used')
    }
  })

  test('a session that ends at the last moment leaves the request unused', async () => {
    const uri = await pushed({ tenant: 'acme' })
    const ended = await signIn(url, 'olivia@acme.test')
    const hold = { statement: 'lock table pushed_requests in share mode' }
    const opening = await whileLocked(service, hold, async (waitFor) => {
      const result = open(referTo(uri), { cookie: ended })
      await waitFor(1)
      await service.ctx.db
        .deleteFrom('sessions')
        .where('user_id', 'in', (query) =>
          query.selectFrom('users').select('id').where('email', '=', 'olivia@acme.test'),
        )
        .execute()
      return { result }
    })
    expect((await opening.result).location).toMatch(/^\/login\?/)
    expect((await open(referTo(uri))).answer).toHaveProperty('code')
  })
})

describe('requirePushedRequests', () => {
  test('a plain request is refused with invalid_request, a pushed one works', async () => {
    await change('demo-spa', { requirePushedRequests: true })
    expect((await authorize(url, cookie, { tenant: 'acme' })).answer).toMatchObject({
      error: 'invalid_request',
      error_description: 'This client must push its authorization requests (RFC 9126).',
      state: 'st',
    })
    expect((await open(referTo(await pushed({ tenant: 'acme' })))).answer).toHaveProperty('code')
  })

  test('a sign-in that was begun with a plain request is refused once the client requires pushed ones', async () => {
    const tab = openTab(url)
    await tab.open((await tab.open(authorizeUrl(''))).location)
    await change('demo-spa', { requirePushedRequests: true })
    const done = await tab.open((await tab.submit({ email: 'mia@acme.test', password: PASSWORD })).location)
    expect(new URL(done.location).searchParams.get('error')).toBe('invalid_request')
  })

  test('the metadata lists the endpoint only while an enabled client requires it', async () => {
    const listed = async () => {
      const response = await fetch(`${url}/.well-known/openid-configuration`)
      const metadata = (await response.json()) as Record<string, unknown>
      expect(metadata).not.toHaveProperty('require_pushed_authorization_requests')
      return metadata.pushed_authorization_request_endpoint
    }
    await expect.poll(listed).toBeUndefined()
    await change('demo-web', { requirePushedRequests: true })
    await expect.poll(listed).toBe(`${url}/api/oauth/par`)
    await change('demo-web', { disabled: true })
    await expect.poll(listed).toBeUndefined()
    await change('demo-web', { requirePushedRequests: false, disabled: false })
    await expect.poll(listed).toBeUndefined()
  })
})

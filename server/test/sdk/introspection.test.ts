import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLatchkey, type IntrospectionOptions, type Latchkey } from '@latchkey/node'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { call } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { claimsOf, machineToken, signIn, startDemoService } from '../support/world.ts'
import { obtainAgentToken, RESOURCE_URI, registerAgent } from './agent.ts'

// The option `introspection` of @latchkey/node: tokens are checked at Latchkey too.

const SECRET = { clientId: 'demo-web', clientSecret: 'demo-web-secret' }

let service: TestService
let applicationId: string
beforeAll(async () => {
  service = await startDemoService()
  applicationId = await registerAgent(service)
})
afterAll(() => service?.close())

function createGuard(introspection: IntrospectionOptions, send: typeof fetch = fetch): Latchkey {
  return createLatchkey({ issuer: service.url, resource: { uri: RESOURCE_URI }, introspection, fetch: send })
}

const obtainToken = (cookie: string) => obtainAgentToken(service.url, cookie)

const REFUSED = { status: 401, code: 'invalid_token', challenge: expect.stringContaining('error="invalid_token"') }

test('a token is refused within a second of the end of its session', async () => {
  const guard = createGuard(SECRET)
  const cookie = await signIn(service.url, 'mia@acme.test')
  const token = await obtainToken(cookie)
  expect(await guard.verify(token)).toMatchObject({ tenantSlug: 'acme', roles: ['member'], scopes: ['tasks:read'] })
  const path = `${service.url}/api/users/me/sessions/${claimsOf(token).sid}`
  expect((await call(path, { method: 'DELETE', headers: { cookie, origin: service.url } })).status).toBe(200)
  const ended = performance.now()
  const findRefusal = () =>
    guard.verify(token).then(
      () => undefined,
      (error: unknown) => error,
    )
  expect(await eventually(findRefusal)).toMatchObject(REFUSED)
  // The second, and the time of the requests on a busy machine.
  expect(performance.now() - ended).toBeLessThan(3_000)
})

test('a token whose license has ended is refused, and the next token says so', async () => {
  const guard = createGuard({ ...SECRET, cacheSeconds: 0 })
  const cookie = await signIn(service.url, 'mia@acme.test')
  const token = await obtainToken(cookie)
  const auth = await guard.verify(token)
  expect(await guard.hasFeature(auth, 'export')).toBe(true)
  await changeSeat('revoke', { userId: auth.userId })
  await service.ctx.changes.waitUntilCurrent()
  await expect(guard.verify(token)).rejects.toMatchObject(REFUSED)
  const next = await guard.verify(await obtainToken(cookie))
  expect(next.license).toBeUndefined()
  await expect(guard.requireLicense(next, 'export')).rejects.toMatchObject({ status: 403, code: 'license_required' })

  // The new license counts at once, for the token that does not have it.
  await changeSeat('grant', { userId: auth.userId, licenseTypeId: await findLicenseTypeId('pro') })
  await service.ctx.changes.waitUntilCurrent()
  const licensed = await guard.verify(next.token)
  expect(licensed.license).toMatchObject({ type: 'pro' })
  await guard.requireLicense(licensed, 'export')
})

test('roles are those of now', async () => {
  const guard = createGuard({ ...SECRET, cacheSeconds: 0 })
  const token = await obtainToken(await signIn(service.url, 'max@acme.test'))
  const { userId = '', roles } = await guard.verify(token)
  expect(roles).toEqual(['member'])
  const { db, changes } = service.ctx
  await db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', userId).execute()
  await changes.waitUntilCurrent()
  expect((await guard.verify(token)).roles).toEqual(['admin'])
})

test('an answer is reused for a second, and a token with a wrong signature is never sent', async () => {
  let requests = 0
  const guard = createGuard(SECRET, (input, init) => {
    if (String(input).endsWith('/introspect')) requests++
    return fetch(input, init)
  })
  const token = await obtainToken(await signIn(service.url, 'mia@acme.test'))
  await Promise.all([guard.verify(token), guard.verify(token), guard.verify(token)])
  await guard.verify(token)
  expect(requests).toBe(1)
  await expect(guard.verify(`${token.slice(0, -4)}AAAA`)).rejects.toMatchObject(REFUSED)
  expect(requests).toBe(1)
})

test('if Latchkey cannot be asked, nobody is let in: 503', async () => {
  const token = await obtainToken(await signIn(service.url, 'mia@acme.test'))
  const wrong = createGuard({ ...SECRET, clientSecret: 'wrong' })
  await expect(wrong.verify(token)).rejects.toMatchObject({ status: 503, message: /refused the secret of demo-web/ })
  const broken = createGuard(SECRET, (input, init) =>
    String(input).endsWith('/introspect') ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init),
  )
  await expect(broken.verify(token)).rejects.toMatchObject({ status: 503, code: 'unavailable' })
})

test('a redirect is not followed, because it could lead the secret to another server', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.writeHead(307, { location: service.url }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const guard = createGuard(SECRET, (input, init) =>
    fetch(String(input).endsWith('/introspect') ? elsewhere : input, init),
  )
  await expect(guard.verify(await obtainToken(await signIn(service.url, 'mia@acme.test')))).rejects.toMatchObject({
    status: 503,
  })
  expect(requests).toBeGreaterThan(0)
})

test.each(['clientId', 'clientSecret'])('an empty %s is refused, such as a variable that is not set', (name) => {
  expect(() => createGuard({ ...SECRET, [name]: undefined } as never)).toThrow(`introspection.${name} is empty`)
})

async function changeSeat(action: 'grant' | 'revoke', body: object) {
  const response = await fetch(`${service.url}/api/integration/licenses/${action}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}`,
    },
    body: JSON.stringify({ applicationId, ...body }),
  })
  expect([200, 201]).toContain(response.status)
}

async function findLicenseTypeId(slug: string) {
  const { id } = await service.ctx.db
    .selectFrom('license_types')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  return id
}

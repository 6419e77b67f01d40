import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withRetry } from '@latchkey/client'
import {
  createLatchkey,
  createMachineClient,
  createMachineToken,
  type Latchkey,
  type LatchkeyOptions,
} from '@latchkey/node'
import * as expressGuards from '@latchkey/node/express'
import * as fastifyGuards from '@latchkey/node/fastify'
import * as honoGuards from '@latchkey/node/hono'
import { refuseUnauthenticated, withAuth } from '@latchkey/node/next'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeForm, newKey, newProof, requestTokens } from '../oauth/dpop/proofs.ts'
import type { TestService } from '../support/service.ts'
import { authorize, machineToken, obtainTokens, signIn, startDemoService } from '../support/world.ts'

/** Mia has a license with the feature reports; Max has none; Olivia is the owner of the tenant. */
const FEATURE = 'reports'

let service: TestService
let latchkey: Latchkey
let applicationId: string
let tokens: Record<'mia' | 'max' | 'olivia', { access_token: string; id_token: string }>
beforeAll(async () => {
  service = await startDemoService()
  const { id } = await service.ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  applicationId = id
  latchkey = createLatchkey({ issuer: service.url, applicationId })
  const tokensOf = async (name: string) => obtainTokens(service.url, await signIn(service.url, `${name}@acme.test`))
  tokens = { mia: await tokensOf('mia'), max: await tokensOf('max'), olivia: await tokensOf('olivia') }
})
afterAll(() => service?.close())

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Call = (path: string, token?: string, forged?: unknown) => Promise<Response>
const callOver =
  (url: string): Call =>
  (path, token, forged) =>
    fetch(url + path, toInit(token, forged))

/** A middleware in front of the guards sets `auth` to this input of the caller, if there is any. */
const FORGED = 'x-forged'

const toInit = (token?: string, forged?: unknown) => ({
  headers: {
    ...(token !== undefined && bearer(token).headers),
    ...(forged !== undefined && { [FORGED]: JSON.stringify(forged) }),
  },
})

/** The same API in each framework: /me, /settings for owners, and /reports for licensed users. */
const FRAMEWORKS: [string, () => Promise<Call>][] = [
  [
    'Express',
    async () => {
      const { requireAuth, requireRole, requireLicense } = expressGuards
      const app = express()
      app.use((request, _, next) => {
        const forged = request.headers[FORGED]
        if (forged !== undefined) request.auth = JSON.parse(String(forged))
        next()
      })
      app.get('/me', requireAuth(latchkey), (request, response) => void response.json({ id: request.auth?.userId }))
      app.get('/settings', requireRole(latchkey, 'owner'), (_, response) => void response.json({}))
      app.get('/reports', requireAuth(latchkey), requireLicense(latchkey, FEATURE), (request, response) => {
        response.json({ tenant: request.auth?.tenantSlug })
      })
      return callOver(await listen(app))
    },
  ],
  [
    'Fastify',
    async () => {
      const { requireAuth, requireRole, requireLicense } = fastifyGuards
      const app = Fastify()
      app.addHook('onRequest', async (request) => {
        const forged = request.headers[FORGED]
        if (forged !== undefined) request.auth = JSON.parse(String(forged))
      })
      app.get('/me', { onRequest: requireAuth(latchkey) }, (request) => ({ id: request.auth?.userId }))
      app.get('/settings', { onRequest: requireRole(latchkey, 'owner') }, () => ({}))
      app.get('/reports', { onRequest: requireLicense(latchkey, FEATURE) }, (request) => ({
        tenant: request.auth?.tenantSlug,
      }))
      onTestFinished(() => app.close())
      return callOver(await app.listen({ port: 0, host: '127.0.0.1' }))
    },
  ],
  [
    'Hono',
    async () => {
      const { requireAuth, requireRole, requireLicense } = honoGuards
      const app = new Hono<honoGuards.AuthVariables>()
      app.use(async (context, next) => {
        const forged = context.req.header(FORGED)
        if (forged !== undefined) context.set('auth', JSON.parse(forged))
        await next()
      })
      app.get('/me', requireAuth(latchkey), (context) => context.json({ id: context.get('auth').userId }))
      app.get('/settings', requireRole(latchkey, 'owner'), (context) => context.json({}))
      app.get('/reports', requireLicense(latchkey, FEATURE), (context) =>
        context.json({ tenant: context.get('auth').tenantSlug }),
      )
      return async (path, token, forged) => app.request(path, toInit(token, forged))
    },
  ],
  [
    'Next.js',
    async () => {
      const routes: Record<string, (request: Request, context: object) => Promise<Response>> = {
        '/me': withAuth(latchkey, {}, (_, { auth }) => Response.json({ id: auth.userId })),
        '/settings': withAuth(latchkey, { roles: ['owner'] }, () => Response.json({})),
        '/reports': withAuth(latchkey, { feature: FEATURE }, (_, { auth }) =>
          Response.json({ tenant: auth.tenantSlug }),
        ),
      }
      return async (path, token, forged) => {
        const request = new Request(`http://localhost${path}`, toInit(token))
        return (await routes[path]?.(request, { auth: forged })) ?? Response.error()
      }
    },
  ],
]

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe.each(FRAMEWORKS)('in %s', (_name, start) => {
  let call: Call

  test('a valid access token is accepted, and the handler knows the user and the tenant', async () => {
    call = await start()
    const me = await call('/me', tokens.mia.access_token)
    expect(me.status).toBe(200)
    const { id } = await latchkey.verify(tokens.mia.access_token).then(({ userId }) => ({ id: userId }))
    expect(await me.json()).toEqual({ id })
    const reports = await call('/reports', tokens.mia.access_token)
    expect([reports.status, await reports.json()]).toEqual([200, { tenant: 'acme' }])
  })

  test('a request without a valid access token is 401, with a challenge', async () => {
    call = await start()
    for (const token of [undefined, 'nonsense', tokens.mia.id_token]) {
      const response = await call('/me', token)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(
        token === undefined ? /^Bearer$/ : /error="invalid_token"/,
      )
      expect(await response.json()).toMatchObject({ error: 'invalid_token' })
    }
  })

  test('a missing role and a missing license are 403', async () => {
    call = await start()
    expect((await call('/settings', tokens.mia.access_token)).status).toBe(403)
    expect((await call('/settings', tokens.olivia.access_token)).status).toBe(200)
    const reports = await call('/reports', tokens.max.access_token)
    expect([reports.status, await reports.json()]).toEqual([
      403,
      { error: 'license_required', message: 'This needs a license with the feature reports.' },
    ])
  })

  test('an `auth` that a middleware in front has set from input of the caller is ignored', async () => {
    call = await start()
    const olivia = await latchkey.verify(tokens.olivia.access_token)
    for (const path of ['/me', '/settings', '/reports'])
      expect([path, (await call(path, undefined, olivia)).status]).toEqual([path, 401])
    expect((await call('/settings', tokens.mia.access_token, olivia)).status).toBe(403)
    expect((await call('/reports', tokens.max.access_token, olivia)).status).toBe(403)
    const { userId } = await latchkey.verify(tokens.mia.access_token)
    expect(await (await call('/me', tokens.mia.access_token, olivia)).json()).toEqual({ id: userId })
  })
})

describe('between two guards of a request', () => {
  test('a change of `auth` gives no right', async () => {
    const { requireAuth, requireRole, requireScope } = expressGuards
    const app = express()
    app.use(requireAuth(latchkey), (request, _, next) => {
      request.auth?.roles.push('owner')
      Object.assign(request.auth ?? {}, { scopes: ['admin'] })
      next()
    })
    app.get('/settings', requireRole(latchkey, 'owner'), (_, response) => void response.json({}))
    app.get('/admin', requireScope(latchkey, 'admin'), (_, response) => void response.json({}))
    const call = callOver(await listen(app))
    expect((await call('/settings', tokens.mia.access_token)).status).toBe(403)
    expect((await call('/admin', tokens.mia.access_token)).status).toBe(403)
  })

  test('what another `createLatchkey` has accepted is verified again', async () => {
    const other = createLatchkey({ issuer: service.url, applicationId: crypto.randomUUID() })
    const { requireAuth, requireRole } = expressGuards
    const app = express()
    app.get('/', requireAuth(latchkey), requireRole(other, 'owner'), (_, response) => void response.json({}))
    expect((await callOver(await listen(app))('/', tokens.olivia.access_token)).status).toBe(401)
  })
})

test('a token for another application is refused', async () => {
  const other = createLatchkey({ issuer: service.url, applicationId: crypto.randomUUID() })
  await expect(other.verify(tokens.mia.access_token)).rejects.toMatchObject({ status: 401, code: 'invalid_token' })
})

test.each([
  ['applicationId', undefined],
  ['applicationId', ''],
  ['tenantId', undefined],
  ['tenantId', ''],
  ['issuer', undefined],
  ['issuer', ''],
])('%s: %j is refused, such as a variable that is not set', (name, value) => {
  const options = { issuer: service.url, applicationId, [name]: value } as LatchkeyOptions
  expect(() => createLatchkey(options)).toThrow(`${name} is empty`)
})

test('the middleware of Next.js lets only requests with a valid token pass', async () => {
  const request = (token: string) => new Request('http://localhost/x', bearer(token))
  expect(await refuseUnauthenticated(latchkey, request(tokens.mia.access_token))).toBeUndefined()
  expect((await refuseUnauthenticated(latchkey, request('nonsense')))?.status).toBe(401)
})

test('a token that is bound to a key is refused as Bearer, and is never sent to Latchkey', async () => {
  const key = await newKey()
  const { answer } = await authorize(service.url, await signIn(service.url, 'mia@acme.test'))
  const { body } = await requestTokens(service.url, codeForm(answer.code), await newProof(service.url, key))
  await expect(latchkey.authenticate(`Bearer ${body.access_token}`)).rejects.toMatchObject({
    status: 401,
    code: 'invalid_token',
    challenge: 'Bearer error="invalid_token"',
  })
  const sent: string[] = []
  const own = createLatchkey({
    issuer: service.url,
    applicationId,
    fetch: (input, init) => {
      sent.push(String(input))
      return fetch(input, init)
    },
  })
  const auth = await own.verify(body.access_token)
  expect(auth.claims.cnf).toEqual({ jkt: key.jkt })
  expect(await own.hasFeature(auth, FEATURE)).toBe(true)
  expect(await own.hasFeature(auth, 'unknown')).toBe(false)
  expect(await own.hasFeature({ ...auth, license: undefined }, FEATURE)).toBe(false)
  expect(sent).toEqual([`${service.url}/api/oauth/jwks`])
})

test('if Latchkey cannot be reached, nobody is let in: 503', async () => {
  const away = createLatchkey({ issuer: 'http://127.0.0.1:9', applicationId })
  await expect(away.verify(tokens.mia.access_token)).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  const auth = await latchkey.verify(tokens.mia.access_token)
  await expect(away.hasFeature(auth, FEATURE)).rejects.toMatchObject({ status: 503 })
})

test('a license check is reused for a while, and concurrent checks share a request', async () => {
  let requests = 0
  const counting: typeof fetch = (...input) => {
    requests++
    return fetch(...input)
  }
  const cached = createLatchkey({ issuer: service.url, applicationId, fetch: counting })
  const auth = await cached.verify(tokens.mia.access_token)
  requests = 0
  expect(await Promise.all([1, 2, 3].map(() => cached.hasFeature(auth, FEATURE)))).toEqual([true, true, true])
  expect(requests).toBe(1)
  const live = createLatchkey({ issuer: service.url, applicationId, licenseCacheSeconds: 0, fetch: counting })
  await live.hasFeature(auth, FEATURE)
  await live.hasFeature(auth, FEATURE)
  expect(requests).toBe(3)
})

test('one license check serves all features of a token, and other sessions of the user check for themselves', async () => {
  let requests = 0
  const counting: typeof fetch = (...input) => {
    requests++
    return fetch(...input)
  }
  const cached = createLatchkey({ issuer: service.url, applicationId, fetch: counting })
  const auth = await cached.verify(tokens.mia.access_token)
  requests = 0
  expect(await cached.hasFeature(auth, FEATURE)).toBe(true)
  expect(await cached.hasFeature(auth, 'unknown')).toBe(false)
  expect(requests).toBe(1)
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, 'mia@acme.test'))
  expect(await cached.hasFeature(await cached.verify(access_token), FEATURE)).toBe(true)
  expect(requests).toBe(2)
})

test('every signing algorithm is accepted, only with the algorithm of the key that the token names', async () => {
  const { privateKey: rsa, publicKey: rsaPublic } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { privateKey: ec, publicKey: ecPublic } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { privateKey: ed, publicKey: edPublic } = generateKeyPairSync('ed25519')
  const toJwk = (key: KeyObject, alg: string) => ({ ...key.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' })
  const keys = [
    toJwk(rsaPublic, 'RS256'),
    toJwk(rsaPublic, 'PS256'),
    toJwk(ecPublic, 'ES256'),
    toJwk(edPublic, 'EdDSA'),
  ]
  const issuer = await listen((_, response) => void response.end(JSON.stringify({ keys })))
  const guard = createLatchkey({ issuer, applicationId })
  const signAs = (alg: string, kid: string, key: KeyObject | Uint8Array) =>
    new SignJWT({ client_id: 'demo-spa', sub: 'ann', aud: applicationId, iss: issuer, scope: '' })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt' })
      .setExpirationTime('5m')
      .sign(key)
  const accepted = [rsa, rsa, ec, ed].map((key, index) => signAs(keys[index]?.alg ?? '', keys[index]?.kid ?? '', key))
  for (const token of await Promise.all(accepted)) expect(await guard.verify(token)).toMatchObject({ userId: 'ann' })
  const secret = Buffer.from(rsaPublic.export({ type: 'spki', format: 'pem' }))
  const refused = [
    signAs('PS256', 'RS256', rsa),
    signAs('RS256', 'PS256', rsa),
    signAs('ES256', 'EdDSA', ec),
    signAs('EdDSA', 'ES256', ed),
    signAs('HS256', 'RS256', secret),
    signAs('RS512', 'RS256', rsa),
  ]
  for (const token of await Promise.all(refused))
    await expect(guard.verify(token)).rejects.toMatchObject({ status: 401 })
})

test('with a tenant, tokens for other tenants are refused', async () => {
  const { tenantId } = await latchkey.verify(tokens.mia.access_token)
  const options = { issuer: service.url, applicationId }
  const own = createLatchkey({ ...options, ...(tenantId !== undefined && { tenantId }) })
  expect((await own.verify(tokens.mia.access_token)).tenantId).toBe(tenantId)
  const other = createLatchkey({ ...options, tenantId: crypto.randomUUID() })
  await expect(other.verify(tokens.mia.access_token)).rejects.toMatchObject({ status: 401, code: 'invalid_token' })
})

test('a redirect is not followed, because it could lead the token to another server', async () => {
  const url = await listen((_, response) => {
    response.writeHead(302, { location: service.url }).end()
  })
  const redirected = createLatchkey({ issuer: url, applicationId, fetch })
  const auth = await latchkey.verify(tokens.mia.access_token)
  await expect(redirected.hasFeature(auth, FEATURE)).rejects.toMatchObject({ status: 503 })
})

test('a machine has no license and no role', async () => {
  const auth = await latchkey.verify(await machineToken(service.url, 'demo-machine'))
  expect(auth).toMatchObject({ userId: undefined, clientId: 'demo-machine', tenantSlug: 'acme', roles: [] })
  expect(await latchkey.hasFeature(auth, FEATURE)).toBe(false)
  latchkey.requireScope(auth, 'licenses:read')
  expect(() => latchkey.requireScope(auth, 'admin')).toThrow('scope admin')
})

test('the token of a machine is requested once, also by concurrent callers', async () => {
  let requests = 0
  const counting: typeof fetch = (...input) => {
    requests++
    return fetch(...input)
  }
  const getToken = createMachineToken({
    issuer: service.url,
    clientId: 'demo-machine',
    clientSecret: 'demo-machine-secret',
    scopes: ['licenses:read'],
    fetch: counting,
  })
  const [first, second] = await Promise.all([getToken(), getToken()])
  expect([second, await getToken()]).toEqual([first, first])
  expect(requests).toBe(1)
  expect((await latchkey.verify(first ?? '')).scopes).toEqual(['licenses:read'])
})

test('a wrong secret is an error that names the client', async () => {
  const getToken = createMachineToken({ issuer: service.url, clientId: 'demo-machine', clientSecret: 'wrong' })
  await expect(getToken()).rejects.toThrow('No token for demo-machine')
})

test('503 and 429 with Retry-After are repeated, other errors are not', async () => {
  const statuses = [503, 429, 200]
  const url = await listen((_, response) => {
    response.writeHead(statuses.shift() ?? 500, { 'retry-after': '0' }).end()
  })
  expect((await withRetry()(url, { method: 'POST' })).status).toBe(200)
  expect((await withRetry()(url, { method: 'POST' })).status).toBe(500)
})

test('after a broken connection only requests that may be repeated are sent again', async () => {
  let requests = 0
  const url = await listen((request, response) => {
    requests++
    if (requests % 2 === 1) request.socket.destroy()
    else response.end()
  })
  expect((await withRetry()(url)).status).toBe(200)
  await expect(withRetry()(url, { method: 'POST' })).rejects.toThrow()
  requests = 0
  expect((await withRetry()(url, { method: 'POST', headers: { 'idempotency-key': 'a' } })).status).toBe(200)
})

test('a machine client calls a typed route, and repeats a request after 503', async () => {
  let requests = 0
  const failing: typeof fetch = async (input, init) => {
    requests++
    if (requests === 1) return new Response('{}', { status: 503, headers: { 'retry-after': '0' } })
    return fetch(input, init)
  }
  const client = createMachineClient({
    issuer: service.url,
    clientId: 'demo-machine',
    clientSecret: 'demo-machine-secret',
    fetch: failing,
  })
  const path = { applicationId }
  const { count } = await client.call('GET /api/integration/licenses/apps/{applicationId}/count', { path })
  expect(count).toBeGreaterThan(0)
  expect(requests).toBe(3)
})

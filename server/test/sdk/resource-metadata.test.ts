import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  AuthError,
  createLatchkey,
  createMetadataFinder,
  describeResource,
  type Latchkey,
  locateResourceMetadata,
} from '@latchkey/node'
import * as expressGuards from '@latchkey/node/express'
import * as fastifyGuards from '@latchkey/node/fastify'
import * as honoGuards from '@latchkey/node/hono'
import * as nextGuards from '@latchkey/node/next'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { obtainTokens, signIn, startDemoService } from '../support/world.ts'
import { obtainAgentToken, RESOURCE_URI, registerAgent } from './agent.ts'

// Protected resource metadata (RFC 9728), and the challenges that name it.

const URI = RESOURCE_URI
const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'
const METADATA_URL = `https://api.example.com${METADATA_PATH}`

let service: TestService
let latchkey: Latchkey
let tokens: Record<'mia' | 'max', string>
beforeAll(async () => {
  service = await startDemoService()
  await registerAgent(service)
  latchkey = createLatchkey({ issuer: service.url, resource: { uri: URI, scopes: ['tasks:read'], name: 'Tasks' } })
  tokens = { mia: await obtainToken('mia'), max: await obtainToken('max') }
})
afterAll(() => service?.close())

const obtainToken = async (name: string) =>
  obtainAgentToken(service.url, await signIn(service.url, `${name}@acme.test`))

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Call = (path: string, token?: string) => Promise<Response>
const bearer = (token: string | undefined) =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
const callOver =
  (url: string): Call =>
  (path, token) =>
    fetch(url + path, bearer(token))

/** The same API in each framework: /mcp, /settings for owners, /write with a scope, and /reports for licensed users. */
const FRAMEWORKS: [string, () => Promise<Call>][] = [
  [
    'Express',
    async () => {
      const { requireAuth, requireRole, requireScope, requireLicense, serveResourceMetadata } = expressGuards
      const app = express()
      app.use(serveResourceMetadata(latchkey))
      app.get('/mcp', requireAuth(latchkey), (_, response) => void response.json({}))
      app.get('/settings', requireRole(latchkey, 'owner'), (_, response) => void response.json({}))
      app.get('/write', requireScope(latchkey, 'tasks:write'), (_, response) => void response.json({}))
      app.get('/reports', requireLicense(latchkey, 'reports'), (_, response) => void response.json({}))
      return callOver(await listen(app))
    },
  ],
  [
    'Fastify',
    async () => {
      const { requireAuth, requireRole, requireScope, requireLicense, serveResourceMetadata } = fastifyGuards
      const app = Fastify()
      app.addHook('onRequest', serveResourceMetadata(latchkey))
      app.get('/mcp', { onRequest: requireAuth(latchkey) }, () => ({}))
      app.get('/settings', { onRequest: requireRole(latchkey, 'owner') }, () => ({}))
      app.get('/write', { onRequest: requireScope(latchkey, 'tasks:write') }, () => ({}))
      app.get('/reports', { onRequest: requireLicense(latchkey, 'reports') }, () => ({}))
      onTestFinished(() => app.close())
      return callOver(await app.listen({ port: 0, host: '127.0.0.1' }))
    },
  ],
  [
    'Hono',
    async () => {
      const { requireAuth, requireRole, requireScope, requireLicense, serveResourceMetadata } = honoGuards
      const app = new Hono<honoGuards.AuthVariables>()
      app.use(serveResourceMetadata(latchkey))
      app.get('/mcp', requireAuth(latchkey), (context) => context.json({}))
      app.get('/settings', requireRole(latchkey, 'owner'), (context) => context.json({}))
      app.get('/write', requireScope(latchkey, 'tasks:write'), (context) => context.json({}))
      app.get('/reports', requireLicense(latchkey, 'reports'), (context) => context.json({}))
      return async (path, token) => app.request(path, bearer(token))
    },
  ],
  [
    'Next.js',
    async () => {
      const { withAuth, serveResourceMetadata } = nextGuards
      const handler = () => Response.json({})
      const routes: Record<string, (request: Request, context: object) => Response | Promise<Response>> = {
        '/mcp': withAuth(latchkey, {}, handler),
        '/settings': withAuth(latchkey, { roles: ['owner'] }, handler),
        '/write': withAuth(latchkey, { scope: 'tasks:write' }, handler),
        '/reports': withAuth(latchkey, { feature: 'reports' }, handler),
      }
      const metadata = serveResourceMetadata(latchkey)
      return async (path, token) => {
        const request = new Request(`http://localhost${path}`, bearer(token))
        return (routes[path] ?? metadata)(request, {})
      }
    },
  ],
  [
    'Node.js without a framework',
    async () => {
      const findMetadata = createMetadataFinder(latchkey)
      const check: Record<string, (auth: Awaited<ReturnType<Latchkey['verify']>>) => unknown> = {
        '/settings': (auth) => latchkey.requireRole(auth, 'owner'),
        '/write': (auth) => latchkey.requireScope(auth, 'tasks:write'),
        '/reports': (auth) => latchkey.requireLicense(auth, 'reports'),
      }
      const handle: RequestListener = async (request, response) => {
        const { url = '', headers } = request
        const metadata = findMetadata(url)
        if (metadata) {
          response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
          return response.end(JSON.stringify(metadata))
        }
        if (url !== '/mcp' && !check[url]) return response.writeHead(404).end()
        try {
          await check[url]?.(await latchkey.authenticate(headers.authorization, request))
          if (url === '/mcp') await latchkey.authenticate(headers.authorization, request)
          return response.end('{}')
        } catch (error) {
          if (!(error instanceof AuthError)) throw error
          return response.writeHead(error.status, error.toHeaders()).end(JSON.stringify(error.toBody()))
        }
      }
      return callOver(await listen((request, response) => void handle(request, response)))
    },
  ],
]

describe.each(FRAMEWORKS)('in %s', (_name, start) => {
  let call: Call
  const challengeOf = async (path: string, token?: string) => {
    const response = await call(path, token)
    await response.body?.cancel()
    return { status: response.status, challenge: response.headers.get('www-authenticate') }
  }

  test('the metadata names the resource, Latchkey and the scopes, for pages of every origin', async () => {
    call = await start()
    for (const path of [METADATA_PATH, `${METADATA_PATH}?x=1`]) {
      const response = await call(path)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(await response.json()).toEqual({
        resource: URI,
        authorization_servers: [service.url],
        bearer_methods_supported: ['header'],
        dpop_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA', 'RS256', 'Ed25519'],
        scopes_supported: ['tasks:read'],
        resource_name: 'Tasks',
      })
    }
    for (const path of ['/.well-known/oauth-protected-resource', `${METADATA_PATH}/x`, '/other'])
      expect((await call(path)).status).toBe(404)
  })

  test('a 401 says where the metadata is and which scopes to request', async () => {
    call = await start()
    const dpop = 'DPoP algs="PS256 ES256 EdDSA RS256 Ed25519"'
    const rest = `scope="tasks:read", resource_metadata="${METADATA_URL}", ${dpop}`
    expect(await challengeOf('/mcp')).toEqual({ status: 401, challenge: `Bearer ${rest}` })
    const invalid = { status: 401, challenge: `Bearer error="invalid_token", ${rest}` }
    expect(await challengeOf('/mcp', 'nonsense')).toEqual(invalid)
    // A token for the application is not one for its resource.
    const { access_token } = await obtainTokens(service.url, await signIn(service.url, 'mia@acme.test'))
    expect(await challengeOf('/mcp', access_token)).toEqual(invalid)
    expect((await call('/mcp', tokens.mia)).status).toBe(200)
  })

  test('a 403 for a missing scope asks for it; another token does not help without the role or license', async () => {
    call = await start()
    expect(await challengeOf('/write', tokens.mia)).toEqual({
      status: 403,
      challenge: `Bearer error="insufficient_scope", scope="tasks:read tasks:write", resource_metadata="${METADATA_URL}"`,
    })
    const rest = { status: 403, challenge: `Bearer resource_metadata="${METADATA_URL}"` }
    expect(await challengeOf('/settings', tokens.mia)).toEqual(rest)
    expect(await challengeOf('/reports', tokens.max)).toEqual(rest)
    expect((await call('/reports', tokens.mia)).status).toBe(200)
  })
})

test.each([
  ['https://api.example.com', 'https://api.example.com/.well-known/oauth-protected-resource'],
  ['https://api.example.com/', 'https://api.example.com/.well-known/oauth-protected-resource'],
  [URI, METADATA_URL],
  ['https://api.example.com/a?b=c', 'https://api.example.com/.well-known/oauth-protected-resource/a?b=c'],
])('the metadata of %s is at %s', (uri, expected) => {
  expect(locateResourceMetadata(uri)).toBe(expected)
})

test('without a resource there is no metadata to serve', () => {
  const { issuer } = latchkey.options
  const plain = createLatchkey({ issuer, applicationId: crypto.randomUUID() })
  expect(() => describeResource(plain)).toThrow('Set it in the options')
  expect(() => expressGuards.serveResourceMetadata(plain)).toThrow('Set it in the options')
  expect(() => createLatchkey({ issuer, resource: { uri: '' } })).toThrow('resource.uri is empty')
  expect(() => createLatchkey({ issuer, resource: { uri: URI }, audience: URI })).toThrow('not both')
})

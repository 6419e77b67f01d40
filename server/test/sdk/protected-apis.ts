import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthError, createLatchkey, type Latchkey, type LatchkeyOptions } from '@latchkey/node'
import * as expressGuards from '@latchkey/node/express'
import * as fastifyGuards from '@latchkey/node/fastify'
import * as honoGuards from '@latchkey/node/hono'
import { withAuth } from '@latchkey/node/next'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'

/**
 * The same API in each framework: GET /v1/me returns the id of the user, GET /v1/reports passes two guards, POST /v1/tasks
 * needs the scope tasks:write.
 */
export const APIS: [string, (latchkey: Latchkey) => RequestListener | Promise<RequestListener>][] = [
  ['Express', serveExpress],
  ['Fastify', serveFastify],
  ['Hono', serveHono],
  ['Next.js', serveNext],
  ['Node.js without a framework', serveNode],
]

/** Serves an API on an address that its `dpop.baseUrl` names, and returns the address. */
export async function serveApi(
  build: (latchkey: Latchkey) => RequestListener | Promise<RequestListener>,
  options: LatchkeyOptions,
): Promise<string> {
  let listener: RequestListener | undefined
  const url = await listen((request, response) => listener?.(request, response))
  listener = await build(createLatchkey({ ...options, dpop: { baseUrl: url, ...options.dpop } }))
  return url
}

export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export function serveExpress(latchkey: Latchkey): RequestListener {
  const { requireAuth, requireLicense, requireScope } = expressGuards
  const router = express.Router()
  router.get('/me', requireAuth(latchkey), (request, response) => void response.json({ id: request.auth?.userId }))
  router.use('/reports', requireAuth(latchkey))
  router.get('/reports', requireAuth(latchkey), requireLicense(latchkey, 'reports'), (request, response) => {
    response.json({ id: request.auth?.userId })
  })
  router.post('/tasks', requireScope(latchkey, 'tasks:write'), (_, response) => void response.json({}))
  return express().use('/v1', router)
}

async function serveFastify(latchkey: Latchkey): Promise<RequestListener> {
  const { requireAuth, requireLicense, requireScope } = fastifyGuards
  const app = Fastify()
  app.get('/v1/me', { onRequest: requireAuth(latchkey) }, (request) => ({ id: request.auth?.userId }))
  app.get('/v1/reports', { onRequest: [requireAuth(latchkey), requireAuth(latchkey)] }, async (request, reply) => {
    await requireLicense(latchkey, 'reports')(request, reply)
    return { id: request.auth?.userId }
  })
  app.post('/v1/tasks', { onRequest: requireScope(latchkey, 'tasks:write') }, () => ({}))
  await app.ready()
  onTestFinished(() => app.close())
  return app.routing
}

function serveHono(latchkey: Latchkey): RequestListener {
  const { requireAuth, requireLicense, requireScope } = honoGuards
  const app = new Hono<honoGuards.AuthVariables>()
  app.get('/v1/me', requireAuth(latchkey), (context) => context.json({ id: context.get('auth').userId }))
  app.get('/v1/reports', requireAuth(latchkey), requireLicense(latchkey, 'reports'), (context) =>
    context.json({ id: context.get('auth').userId }),
  )
  app.post('/v1/tasks', requireScope(latchkey, 'tasks:write'), (context) => context.json({}))
  return toListener((request) => app.fetch(request))
}

function serveNext(latchkey: Latchkey): RequestListener {
  const routes: Record<string, (request: Request, context: object) => Promise<Response>> = {
    '/v1/me': withAuth(latchkey, {}, (_, { auth }) => Response.json({ id: auth.userId })),
    '/v1/reports': withAuth(latchkey, { feature: 'reports' }, (_, { auth }) => Response.json({ id: auth.userId })),
    '/v1/tasks': withAuth(latchkey, { scope: 'tasks:write' }, () => Response.json({})),
  }
  return toListener(async (request) => (await routes[new URL(request.url).pathname]?.(request, {})) ?? Response.error())
}

function serveNode(latchkey: Latchkey): RequestListener {
  const handle: RequestListener = async (request, response) => {
    try {
      const auth = await latchkey.authenticate(request.headers.authorization, request)
      if (request.url?.startsWith('/v1/reports')) await latchkey.requireLicense(auth, 'reports')
      if (request.method === 'POST') latchkey.requireScope(auth, 'tasks:write')
      response.end(JSON.stringify({ id: auth.userId }))
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      response.writeHead(error.status, error.toHeaders()).end(JSON.stringify(error.toBody()))
    }
  }
  return (request, response) => void handle(request, response)
}

/** A server behind a proxy sees an address of its own. */
const toListener =
  (handle: (request: Request) => Response | Promise<Response>): RequestListener =>
  async (request, response) => {
    const { status, headers, ...rest } = await answer(request, handle)
    response.writeHead(status, headers).end(rest.body)
  }

async function answer(incoming: IncomingMessage, handle: (request: Request) => Response | Promise<Response>) {
  const headers = new Headers()
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '')
  const { method = 'GET', url } = incoming
  const response = await handle(new Request(`http://internal.example${url}`, { method, headers }))
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

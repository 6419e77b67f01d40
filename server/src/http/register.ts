import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError, type ErrorCode, OAuthError } from '../errors.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { type Fields, NO_FIELDS, parseFields } from '../lib/fields.ts'
import { newGrounds, noteGrounds } from '../lib/grounds.ts'
import { groupBy } from '../lib/group-by.ts'
import type { Brand } from '../ui/brand.ts'
import { ErrorPage } from '../ui/error-page.tsx'
import { render } from '../ui/render.ts'
import { admitRoute } from './admission.ts'
import { registerAsset, registerShelf } from './assets.ts'
import { FORM_LIMIT } from './bodies.ts'
import {
  admit,
  type Caller,
  type CallerKind,
  callerName,
  type Doorkeeper,
  type Person,
  type TenantKeeper,
} from './callers.ts'
import { allowOrigin, answerPreflight, type KnowsOrigin } from './cross-origin.ts'
import type { Asset, Method, Page, PageAnswer, Route, Shelf } from './define-route.ts'
import { COMMON_ERRORS, impliedErrors, logServerError, toAppError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { pagePolicy } from './headers.ts'
import { answerOnce, fingerprintsOf, readIdempotencyKey } from './idempotency.ts'
import type { Repetition } from './repetition.ts'

const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface Surface {
  routes: Route[]
  pages: Page[]
  assets: Asset[]
  shelves?: Shelf[]
}

/** What the doors must ask of the slices above them. */
export interface Wiring {
  doorkeeper: Doorkeeper
  tenantKeeper: TenantKeeper
  knowsOrigin: KnowsOrigin
  /** Gives answers again; without it each is made anew. */
  repetition?: Repetition
  /** Whose name stands above a page that says what went wrong. */
  brandOf(ctx: Ctx, query: Fields): Promise<Brand | undefined>
}

/** Hangs the doors. */
export function registerAll(app: FastifyInstance, ctx: Ctx, surface: Surface, wiring: Wiring): void {
  const { routes, pages, assets, shelves = [] } = surface
  for (const route of routes) registerRoute(app, ctx, route, wiring)
  for (const page of pages) registerPage(app, ctx, page, wiring)
  for (const asset of assets) registerAsset(app, ctx, asset)
  for (const shelf of shelves) registerShelf(app, ctx, shelf)
  answerPreflights(app, ctx, routes, wiring)
  const served = [...assets, ...shelves].map(({ path }) => ({ method: 'GET' as const, path }))
  const doors = [...routes, ...pages, ...served]
  refuseOtherMethods(app, doors)
}

function registerRoute(app: FastifyInstance, ctx: Ctx, route: Route, wiring: Wiring): void {
  const { method, path, body, bodyType, query, params, reply: replies, oauthErrors } = route
  const statuses = Object.keys(replies).map(Number)
  app.route({
    method,
    url: path,
    config: {
      bodyType,
      bodyOptional: Type.IsOptional(body),
      otherBodiesIgnored: route.ignoresOtherBodies,
      oauth: oauthErrors !== undefined,
    },
    ...(bodyType === 'form' && { bodyLimit: FORM_LIMIT }),
    // Who asks for the headers alone would have all of it read for nobody.
    exposeHeadRoute: !route.streams,
    ...(Type.IsOptional(body) && { preValidation: fillInBody }),
    // A refused body is an answer too, and repeated as such; and whoever has no place in a tenant hears that first.
    attachValidation: route.idempotent || route.caller === 'member',
    ...(asksFirst(route) && {
      onRequest: (request, reply, done) =>
        proceed(() => noted(route, request, () => askFirst(ctx, { request, reply }, route, wiring)), done),
    }),
    ...(asksAgain(route) && {
      preHandler: (request, reply, done) =>
        proceed(() => askAgain(ctx, { request, reply }, route, wiring), done),
    }),
    ...(route.repeats && wiring.repetition?.hooksFor(route)),
    schema: {
      ...(body && { body }),
      ...(query && { querystring: query }),
      ...(params && { params }),
      response: replies,
    },
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      if (statuses.length === 1) reply.code(statuses[0] ?? 200)
      const work = () => noted(route, request, () => answerRoute(ctx, route, { request, reply }, wiring))
      const answer = ctx.strict ? answerAsDeclared(route, work) : work()
      // For the framework, nothing at all would mean that the answer is yet to be sent.
      return answer === undefined ? Promise.resolve() : answer
    },
  })
}

/** Does a part of the work for a request, and notes what the answer rests on where it may be given again. */
function noted<T>({ repeats }: Route, request: FastifyRequest, work: () => T): T {
  if (!repeats) return work()
  request.grounds ??= newGrounds()
  return noteGrounds(request.grounds, work)
}

/** Goes on at once where there is nothing to wait for: most who come are known. */
function proceed(work: () => Eventual<void>, done: (error?: Error) => void): void {
  try {
    const waiting = work()
    if (waiting) waiting.then(() => done(), done)
    else done()
  } catch (error) {
    done(error as Error)
  }
}

/** Who leaves a body out that may be left out has sent one in which nothing stands. */
async function fillInBody(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}

const asksFirst = ({ crossOrigin, caller }: Route) => crossOrigin !== undefined || caller !== 'anyone'

/** Before the body is read: whoever may not enter has us read nothing, and learns nothing from what we make of it. */
function askFirst(
  ctx: Ctx,
  exchange: Exchange,
  { crossOrigin, caller }: Route,
  { doorkeeper, knowsOrigin }: Wiring,
): Eventual<void> {
  const letIn = () => enter(ctx, exchange, caller, doorkeeper)
  if (!crossOrigin) return letIn()
  return whenThere(allowOrigin(ctx, exchange, { rule: crossOrigin, knowsOrigin }), letIn)
}

const enter = (ctx: Ctx, exchange: Exchange, kind: CallerKind, doorkeeper: Doorkeeper): Eventual<void> =>
  whenThere(admit(ctx, exchange, { kind, doorkeeper }), (caller) => {
    exchange.request.caller = caller
  })

const asksAgain = ({ caller, bodyType }: Route) => caller !== 'anyone' && bodyType !== undefined

/** A body may take its time to arrive. Whoever may not enter any more by then is turned away all the same. */
const askAgain = (ctx: Ctx, exchange: Exchange, { caller }: Route, { doorkeeper }: Wiring): Eventual<void> =>
  enter(ctx, exchange, caller, doorkeeper)

function answerRoute(ctx: Ctx, route: Route, exchange: Exchange, wiring: Wiring): unknown {
  const { request } = exchange
  if (!route.admission) return answerAdmitted(ctx, route, exchange, wiring)
  const asking = { request, account: callerName(request.caller) }
  return admitRoute(ctx, route.admission, asking, () => answerAdmitted(ctx, route, exchange, wiring))
}

function answerAdmitted(ctx: Ctx, route: Route, exchange: Exchange, wiring: Wiring): unknown {
  const key = route.idempotent ? readIdempotencyKey(exchange.request.headers) : undefined
  return key === undefined
    ? answer(ctx, route, exchange, wiring)
    : answerKeyed(ctx, route, { ...exchange, key }, wiring)
}

async function answerKeyed(
  ctx: Ctx,
  route: Route,
  { request, reply, key }: Exchange & { key: string },
  wiring: Wiring,
): Promise<unknown> {
  const { body, caller, method, url } = request
  // What was answered once is not told to somebody who would not be answered now.
  if (route.caller === 'member') await inTenant(ctx, { ...route, method: 'GET' }, request, wiring)
  // The same words mean something else in another tenant.
  const where = route.caller === 'license-writer' ? `@${caller?.tenantId}` : ''
  const fingerprints = fingerprintsOf(ctx.keys, { method, url, body })
  const keyed = { caller: callerName(caller) + where, key, fingerprints }
  const { status, headers, replayed, ...kept } = await answerOnce(ctx, keyed, async () => ({
    body: await answer(ctx, route, { request, reply }, wiring),
    status: reply.statusCode,
    headers: headersToKeep(route, reply),
  }))
  reply.code(status).headers(headers ?? {})
  if (replayed) reply.header('Idempotency-Replayed', 'true')
  return kept.body
}

/** What a route tells beside the body is told again with it. */
const headersToKeep = ({ replyHeaders }: Route, reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.keys(replyHeaders).map((name) => [name, String(reply.getHeader(name))]))

function answer(ctx: Ctx, route: Route, { request, reply }: Exchange, wiring: Wiring): unknown {
  const handle = (tx: Tx | undefined, caller: Caller | undefined) => {
    if (request.validationError) throw request.validationError
    const { body, query, params } = request
    return route.handler(ctx, { body, query, params, request, reply, tx, caller })
  }
  if (route.caller !== 'member') return handle(undefined, request.caller)
  return inTenant(ctx, route, request, wiring, async (tx, caller) => handle(tx, caller))
}

type TenantRoute = Pick<Route, 'roles' | 'method' | 'leavesTrace' | 'checksFactor'>

/** Works for the tenant that the address names. Whatever is changed is known to this node before the answer is. */
async function inTenant(
  ctx: Ctx,
  { roles, method, leavesTrace, checksFactor }: TenantRoute,
  { params, caller }: FastifyRequest,
  { tenantKeeper }: Wiring,
  work: (tx: Tx, caller: Caller) => Promise<unknown> = async () => undefined,
): Promise<unknown> {
  const { id: tenantId = '' } = params as { id?: string }
  const door = { tenantId, roles, checksFactor, readOnly: method === 'GET' && !leavesTrace }
  // The door has let in a person by now.
  const done = await tenantKeeper(ctx, caller as Person, door, work)
  if (!door.readOnly) await ctx.changes.settle()
  return done
}

function answerAsDeclared(route: Route, work: () => unknown): unknown {
  const refuse = (error: unknown) => {
    throw declared(route, error)
  }
  try {
    const answer = work()
    return answer instanceof Promise ? answer.catch(refuse) : answer
  } catch (error) {
    return refuse(error)
  }
}

/** A code that the route does not declare is a mistake in the house: its documentation would be wrong. */
function declared(route: Route, error: unknown): unknown {
  const known: readonly ErrorCode[] = [...COMMON_ERRORS, ...route.errors, ...impliedErrors(route)]
  const isKnown =
    error instanceof OAuthError
      ? route.oauthErrors?.includes(error.code)
      : !(error instanceof AppError) || known.includes(error.code)
  if (isKnown) return error
  const { code } = error as AppError | OAuthError
  return new Error(`${route.method} ${route.path} threw ${code} without declaring it`, { cause: error })
}

function registerPage(app: FastifyInstance, ctx: Ctx, page: Page, wiring: Wiring): void {
  app.route({
    method: page.method,
    url: page.path,
    config: { bodyType: 'fields' },
    bodyLimit: FORM_LIMIT,
    handler: async (request, reply) => {
      // An application may sign people in in a pop-up, and must still find it when it comes back.
      reply.header('Cross-Origin-Opener-Policy', 'unsafe-none')
      const answer = await answerPage(ctx, page, { request, reply }, wiring)
      // RFC 9700 §4.12: whatever was posted here must not be posted on.
      if ('redirect' in answer) return reply.code(303).header('Location', answer.redirect).send()
      const { status = 200, html, ...needs } = answer
      reply.code(status).type('text/html; charset=utf-8')
      reply.header('Content-Security-Policy', pagePolicy(needs))
      return html
    },
  })
}

/** A page answers a person, so its errors are pages too. */
async function answerPage(
  ctx: Ctx,
  page: Page,
  { request, reply }: Exchange,
  wiring: Wiring,
): Promise<PageAnswer> {
  try {
    const form = (request.body as Fields | undefined) ?? NO_FIELDS
    return await page.handler(ctx, { request, reply, query: readQuery(request), form })
  } catch (thrown) {
    const error = toAppError(thrown)
    logServerError(error, request)
    reply.headers(error.headers)
    const brand = await brandOfError(ctx, request, wiring)
    const html = render(ErrorPage({ message: error.message, requestId: request.id }), brand)
    return { status: error.status, html }
  }
}

/** Whatever is wrong with the address or the database, people are told what went wrong first. */
async function brandOfError(
  ctx: Ctx,
  request: FastifyRequest,
  { brandOf }: Wiring,
): Promise<Brand | undefined> {
  try {
    return await brandOf(ctx, readQuery(request))
  } catch {
    return undefined
  }
}

/** The parameters of the address, without the framework's reading of repeated ones. */
function readQuery({ url }: FastifyRequest): Fields {
  const start = url.indexOf('?')
  const fields = start === -1 ? NO_FIELDS : parseFields(url.slice(start + 1))
  if (!fields) throw new AppError('INVALID_REQUEST', { message: 'The address has too many parameters.' })
  return fields
}

/** A browser asks first whether a page of another origin may send the request at all. */
function answerPreflights(app: FastifyInstance, ctx: Ctx, routes: Route[], { knowsOrigin }: Wiring): void {
  const shared = routes.filter(({ crossOrigin }) => crossOrigin !== undefined)
  for (const [path, entries] of groupBy(shared, (route) => route.path)) {
    const rule = entries[0]?.crossOrigin ?? 'registered'
    app.options(path, async (request, reply) => {
      await allowOrigin(ctx, { request, reply }, { rule, knowsOrigin })
      answerPreflight(
        reply,
        entries.map(({ method }) => method),
      )
      return reply
    })
  }
}

interface Door {
  method: Method
  path: string
  streams?: Route['streams']
}

function refuseOtherMethods(app: FastifyInstance, doors: Door[]): void {
  const byPath = groupBy(doors, ({ path }) => path)
  for (const [path, entries] of byPath) {
    const allowed = entries.map(({ method }) => method)
    const hasHead = entries.some(({ method, streams }) => method === 'GET' && !streams)
    const headers = { Allow: [...allowed, ...(hasHead ? ['HEAD'] : [])].join(', ') }
    const others = METHODS.filter((method) => !allowed.includes(method))
    app.route({
      method: allowed.includes('GET') && !hasHead ? [...others, 'HEAD'] : others,
      url: path,
      handler: () => {
        throw new AppError('METHOD_NOT_ALLOWED', { headers })
      },
    })
  }
}

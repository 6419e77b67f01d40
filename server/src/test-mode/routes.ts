import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { dependencies } from '../app.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { rejectCrossOrigin } from '../http/request/csrf.ts'
import { defineRoute, type Route } from '../http/routing/define-route.ts'
import { registerRoutes } from '../http/routing/register.ts'
import { ActionResult } from '../http/routing/schema.ts'
import type { ClockChange, TestClock } from './clock.ts'
import { queueEvents, runScheduledJobs } from './clock-jobs.ts'
import type { Fault, Faults } from './faults.ts'
import {
  ClockBody,
  ClockRequest,
  FaultList,
  FaultRequest,
  ResetBody,
  ResetRequest,
  SeedBody,
  SeedRequest,
} from './schema.ts'
import { parseYamlBody, seed } from './seed.ts'
import { saveState } from './store.ts'

/** What a test can control. */
export interface Controls {
  clock: TestClock
  faults: Faults
  /** Replaces the service by a new one on the initial data. Returns the seed of the ids, if there is one. */
  reset(seed: number | undefined): Promise<number | undefined>
}

const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml']

/** Adds the routes of test mode and its faults to the service. */
export function registerTestRoutes(app: FastifyInstance, ctx: Ctx, controls: Controls): void {
  app.addHook('onRequest', async (request) => {
    if (!request.url.startsWith('/test/')) await controls.faults.apply(request)
  })
  app.register(async (scope) => {
    // A page in the developer's browser must not be able to reset the tests.
    scope.addHook('onRequest', async (request) => rejectCrossOrigin(request))
    scope.addContentTypeParser(YAML_TYPES, { parseAs: 'string' }, (_request: FastifyRequest, text: string) =>
      parseYamlBody(text),
    )
    registerRoutes(scope, ctx, { routes: testRoutes(controls), pages: [], files: [] }, dependencies)
  })
}

/** Defined once, because the validator keeps every schema that it has compiled. */
const OptionalReset = Type.Optional(ResetRequest)

const common = { tag: 'Test mode', caller: 'anyone' } as const

function testRoutes({ clock, faults, reset }: Controls): Route[] {
  const save = (ctx: Ctx) => saveState(ctx.db, clock.state(), faults.forDatabase())
  const showClock = () => ({ now: clock.now().toISOString(), frozen: clock.state().frozenAt !== undefined })
  const showFaults = () => ({ faults: faults.list() })
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/test/clock',
      operationId: 'getTestClock',
      summary: 'The time of the service',
      reply: { 200: ClockBody },
      handler: showClock,
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/test/clock',
      operationId: 'changeTestClock',
      summary: 'Set, advance, freeze or continue the clock, and run the scheduled jobs',
      body: ClockRequest,
      reply: { 200: ClockBody },
      async handler(ctx, { body }) {
        const change = toClockChange(body)
        await queueEvents(ctx)
        clock.change(change)
        await save(ctx)
        await runScheduledJobs(ctx)
        return showClock()
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/test/clock',
      operationId: 'resetTestClock',
      summary: 'Back to the real time',
      reply: { 200: ClockBody },
      async handler(ctx) {
        clock.reset()
        await save(ctx)
        return showClock()
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/test/faults',
      operationId: 'listTestFaults',
      summary: 'The faults in effect',
      reply: { 200: FaultList },
      handler: showFaults,
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/test/faults',
      operationId: 'addTestFault',
      summary: 'Add a fault',
      body: FaultRequest,
      reply: { 201: FaultList },
      async handler(ctx, { body }) {
        faults.add(toFault(body))
        await save(ctx)
        return showFaults()
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/test/faults',
      operationId: 'removeTestFaults',
      summary: 'Remove all faults',
      reply: { 200: ActionResult },
      async handler(ctx) {
        faults.clear()
        await save(ctx)
        return { success: true, message: 'Faults removed' }
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/test/seed',
      operationId: 'seedTestData',
      summary: 'Create the objects of a declaration, as "latchkey apply" does',
      body: SeedRequest,
      reply: { 200: SeedBody },
      handler: (ctx, { body }) => seed(ctx, body),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/test/reset',
      operationId: 'resetTestData',
      summary: 'Back to the initial data, the real time and no faults',
      body: OptionalReset,
      reply: { 200: ResetBody },
      async handler(_ctx, { body }) {
        const startedAt = performance.now()
        const seedOfIds = await reset(body.seed)
        return { durationMs: Math.round(performance.now() - startedAt), seed: seedOfIds ?? null }
      },
    }),
  ]
}

function toClockChange({ now, advanceSeconds, frozen }: ClockRequest): ClockChange {
  if (now === undefined && advanceSeconds === undefined && frozen === undefined) {
    throw invalidBody('must contain now, advanceSeconds or frozen')
  }
  if (now !== undefined && advanceSeconds !== undefined) {
    throw invalidBody('must contain either now or advanceSeconds, not both')
  }
  return { now: now === undefined ? undefined : new Date(now), advanceSeconds, frozen }
}

function toFault({ paths = ['/*'], retryAfterSeconds = 1, ...fault }: FaultRequest): Fault {
  const affectsRequests = fault.latencyMs !== undefined || fault.status !== undefined
  if (!affectsRequests && fault.mail === undefined && fault.webhooks === undefined) {
    throw invalidBody('must contain latencyMs, status, mail or webhooks')
  }
  if (!affectsRequests && fault.times !== undefined) {
    throw invalidBody('must contain latencyMs or status, because times counts requests')
  }
  return { paths, retryAfterSeconds, ...fault }
}

const invalidBody = (message: string) => new AppError('VALIDATION_FAILED', { details: [{ field: 'body', message }] })

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { runLoad } from '../src/load.ts'
import { UnexpectedResponseError } from '../src/load-types.ts'
import { createMixedScenarios } from '../src/mix.ts'
import {
  createChainedScenario,
  onEveryConnection,
  type Scenario,
  withFixedRequest,
  withFixedResponse,
} from '../src/row.ts'
import { hasWrk } from '../src/wrk.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the slow tier runs in full. */
    full: boolean
  }
}

const FULL = inject('full')

let close: (() => void) | undefined
afterEach(() => close?.())

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.close()
    server.closeAllConnections()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const createScenario = (body: string): Scenario => ({
  request: { method: 'GET', path: '/' },
  check: (response) => (response.status === 200 && response.body === body ? undefined : 'unexpected response'),
})

const phaseOf = (minMs: number, minResponses = 1) => ({ minMs, minResponses, maxMs: 120_000 })
const SHORT = { warmup: phaseOf(50), measurement: phaseOf(200) }

test('responses are counted during the measurement', async () => {
  let served = 0
  const url = await serve((_, response) => {
    served++
    response.end('right')
  })
  const events: string[] = []
  const onMeasurement = (event: string) => void events.push(event)
  const result = await runLoad({
    url,
    scenarios: onEveryConnection(createScenario('right'), 4),
    ...SHORT,
    onMeasurement,
  })
  expect(events).toEqual(['start', 'end'])
  expect(result.totalResponses).toBe(served)
  expect(result.responses).toBeGreaterThan(0)
  expect(result.responses).toBeLessThan(served)
  expect(result.p50).toBeGreaterThan(0)
  expect(result.p99).toBeGreaterThanOrEqual(result.p50)
})

const MIXED = ['a', 'b', 'c'].map((name) => ({
  request: { method: 'POST' as const, path: `/${name}`, headers: { 'x-name': name }, body: name },
  expectedBody: `right ${name}`,
}))

test('each request of a mix gets its own response, and the frequent ones are sent more often', async () => {
  const counts: Record<string, number> = {}
  const url = await serve((request, response) => {
    counts[request.url ?? ''] = (counts[request.url ?? ''] ?? 0) + 1
    request.toArray().then((chunks) => response.end(`right ${Buffer.concat(chunks)}`))
  })
  // So many that chance does not change the order.
  const measurement = phaseOf(200, 3_000)
  await runLoad({ url, scenarios: createMixedScenarios(MIXED, 4), warmup: phaseOf(50), measurement })
  const [first = 0, second = 0, third = 0] = Object.values(counts).sort((a, b) => b - a)
  expect(first).toBeGreaterThan(second)
  expect(second).toBeGreaterThan(third)
})

test('a response to another request of the mix fails the row', async () => {
  let served = 0
  const url = await serve((request, response) => {
    served++
    request.resume().on('end', () => {
      response.end(served > 200 && request.url === '/a' ? 'right b' : `right ${request.url?.slice(1)}`)
    })
  })
  const running = runLoad({
    url,
    scenarios: createMixedScenarios(MIXED, 1),
    warmup: phaseOf(50),
    measurement: phaseOf(3_000, 300),
  })
  await expect(running).rejects.toThrow(UnexpectedResponseError)
})

test.runIf(FULL)('the measurement lasts until there are enough responses', async () => {
  const url = await serve((_, response) => void setTimeout(() => response.end('right'), 300))
  const measurement = { minMs: 10, minResponses: 3, maxMs: 10_000 }
  const load = { url, scenarios: [createScenario('right')], warmup: { minMs: 0, minResponses: 0, maxMs: 0 } }
  expect((await runLoad({ ...load, measurement })).responses).toBeGreaterThanOrEqual(3)
  const running = runLoad({ ...load, measurement: { minMs: 10, minResponses: 3, maxMs: 20 } })
  await expect(running).rejects.toThrow('no response during the measurement')
})

test('one unexpected response among many fails the row and is reported', async () => {
  let served = 0
  const url = await serve((_, response) => {
    served++
    response.end(served === 50 ? 'wrong' : 'right')
  })
  const running = runLoad({
    url,
    scenarios: onEveryConnection(createScenario('right'), 4),
    warmup: phaseOf(0),
    measurement: phaseOf(10_000),
  })
  await expect(running).rejects.toThrow(UnexpectedResponseError)
  await expect(running).rejects.toThrow('unexpected response: 200 wrong')
})

test.runIf(FULL)('a wrong status fails the check even with the expected body', async () => {
  const url = await serve((_, response) => response.writeHead(500).end('right'))
  const running = runLoad({ url, scenarios: [createScenario('right')], ...SHORT })
  await expect(running).rejects.toThrow('unexpected response: 500 right')
})

test.runIf(FULL)('a check that throws has failed', async () => {
  const url = await serve((_, response) => response.end('{'))
  const scenario: Scenario = { request: { method: 'GET', path: '/' }, check: ({ body }) => JSON.parse(body) }
  await expect(runLoad({ url, scenarios: [scenario], ...SHORT })).rejects.toThrow('SyntaxError')
})

test.runIf(FULL)('a connection that is closed without a response fails the row', async () => {
  const url = await serve((request) => request.socket.destroy())
  await expect(runLoad({ url, scenarios: [createScenario('right')], ...SHORT })).rejects.toThrow(
    UnexpectedResponseError,
  )
})

test.runIf(FULL)('a chunked response is read completely', async () => {
  const text = 'answer '.repeat(20_000)
  const url = await serve((_, response) => {
    response.write(text.slice(0, 50_000))
    setImmediate(() => response.end(text.slice(50_000)))
  })
  const result = await runLoad({ url, scenarios: onEveryConnection(createScenario(text), 2), ...SHORT })
  expect(result.responses).toBeGreaterThan(0)
})

test.runIf(FULL)('each request uses the value of the previous response, also across runs', async () => {
  let issued = 0
  const url = await serve((request, response) => {
    const isNext = request.url === `/${issued}`
    issued++
    response.writeHead(isNext ? 200 : 400).end(String(issued))
  })
  let token = '0'
  const scenario: Scenario = {
    request: () => ({ method: 'POST', path: `/${token}`, body: 'a=b' }),
    check({ status, body }) {
      token = body
      return status === 200 ? undefined : 'used twice'
    },
  }
  await runLoad({ url, scenarios: [scenario], ...SHORT })
  // No request was aborted, so the second run continues with the last value of the first.
  await runLoad({ url, scenarios: [scenario], ...SHORT })
  expect(token).toBe(String(issued))
})

/** Accepts each ticket once and responds with a new one. `rejectOne` makes a later ticket invalid. */
async function serveTickets(first: string[]) {
  const valid = new Set(first)
  let invalid = Number.POSITIVE_INFINITY
  let served = 0
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const sent = /^a=b&ticket=(.+)&c=d$/.exec(body)?.[1] ?? ''
      served++
      const ticket = `ticket-${served}`
      if (served !== invalid) valid.add(ticket)
      const isValid = valid.delete(sent) && request.headers['x-word'] === 'sesame'
      response.writeHead(isValid ? 200 : 400).end(JSON.stringify({ for: sent, ticket }))
    })
  })
  /** The 50th ticket from now is invalid. */
  const rejectOne = () => {
    invalid = served + 50
  }
  return { url, served: () => served, rejectOne }
}

const createTicketScenario = (firstTicket: string): Scenario =>
  createChainedScenario({
    field: 'ticket',
    firstValue: firstTicket,
    isValid: (body) => typeof body.for === 'string',
    toRequest: (ticket) => ({
      method: 'POST',
      path: '/',
      headers: { 'x-word': 'sesame' },
      body: `a=b&ticket=${ticket}&c=d`,
    }),
  })

const TICKETS = ['first-1', 'first-2', 'first-3', 'first-4']

test.runIf(FULL)('background responses are checked but not counted', async () => {
  const url = await serve((request, response) => response.end(request.url === '/' ? 'right' : 'other'))
  const inBackground = (body: string): Scenario => ({
    ...createScenario(body),
    request: { method: 'GET', path: '/beside' },
  })
  const load = { url, scenarios: [createScenario('right')], ...SHORT }
  const result = await runLoad({ ...load, background: [inBackground('other')] })
  expect(result.backgroundPerSecond).toBeGreaterThan(0)
  await expect(runLoad({ ...load, background: [inBackground('right')] })).rejects.toThrow(UnexpectedResponseError)
})

/** wrk measures whole seconds only. */
const ONE_SECOND = { warmup: phaseOf(50), measurement: phaseOf(1_000) }
const KINDS = [
  ['a fixed response', withFixedResponse],
  ['a fixed request', withFixedRequest],
] as const

describe.runIf(FULL && hasWrk)('wrk', () => {
  test.each(KINDS)('counts responses with %s', async (_, withFixed) => {
    let served = 0
    const url = await serve(({ method, headers, url: path }, response) => {
      served++
      const isValid =
        method === 'GET' && headers.host !== undefined && headers['x-word'] === 'open "sesame" \\' && path === '/a?b=c'
      response.end(isValid ? '{"said":"right \n å"}' : 'wrong')
    })
    const request = { method: 'GET', path: '/a?b=c', headers: { 'x-word': 'open "sesame" \\' } } as const
    const events: string[] = []
    const scenario = { ...createScenario('{"said":"right \n å"}'), request }
    const onMeasurement = (event: string) => void events.push(event)
    const result = await runLoad({
      url,
      scenarios: onEveryConnection(withFixed(scenario), 4),
      ...ONE_SECOND,
      onMeasurement,
    })
    expect(events).toEqual(['start', 'end'])
    expect(result.responses).toBeGreaterThan(10)
    // wrk does not wait for responses that are outstanding at the end.
    expect(served - result.totalResponses).toBeLessThanOrEqual(8)
    expect(result.p99).toBeGreaterThanOrEqual(result.p50)
  })

  test('uses the value of each response once', async () => {
    const { url, served } = await serveTickets(TICKETS)
    const result = await runLoad({ url, scenarios: TICKETS.map(createTicketScenario), ...ONE_SECOND })
    expect(result.responses).toBeGreaterThan(10)
    expect(served() - result.totalResponses).toBeLessThanOrEqual(8)
  })

  test('fails when the server rejects a value', async () => {
    const { url, rejectOne } = await serveTickets(TICKETS)
    const onMeasurement = (event: string) => event === 'start' && rejectOne()
    const running = runLoad({
      url,
      scenarios: TICKETS.map(createTicketScenario),
      ...ONE_SECOND,
      onMeasurement,
    })
    await expect(running).rejects.toThrow('no new ticket: 400 {"for":"ticket-')
  })

  test.each(KINDS)('reports one unexpected response among many with %s', async (_, withFixed) => {
    let served = 0
    const url = await serve((_, response) => {
      served++
      response.end(served === 100 ? 'wrong "one"' : 'right')
    })
    // Counting starts with wrk. autocannon does the warmup.
    const onMeasurement = () => {
      served = 0
    }
    const scenarios = onEveryConnection(withFixed(createScenario('right')), 4)
    const running = runLoad({ url, scenarios, ...ONE_SECOND, onMeasurement })
    await expect(running).rejects.toThrow('wrong "one"')
  })

  test.each(KINDS)('reports a wrong status with %s', async (_, withFixed) => {
    let served = Number.NEGATIVE_INFINITY
    const url = await serve((_, response) => {
      served++
      response.statusCode = served > 100 ? 500 : 200
      response.end('right')
    })
    const onMeasurement = () => {
      served = 0
    }
    const scenarios = onEveryConnection(withFixed(createScenario('right')), 4)
    const running = runLoad({ url, scenarios, ...ONE_SECOND, onMeasurement })
    await expect(running).rejects.toThrow(UnexpectedResponseError)
  })
})

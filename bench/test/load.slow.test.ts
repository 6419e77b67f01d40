import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { WrongAnswer } from '../src/asked.ts'
import { runLoad } from '../src/load.ts'
import { asked, chained, everywhere, steady, type Talk } from '../src/row.ts'
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

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.close()
    server.closeAllConnections()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const expecting = (body: string): Talk => ({
  request: { method: 'GET', path: '/' },
  check: (answer) => (answer.status === 200 && answer.body === body ? undefined : 'not what was expected'),
})

const spanOf = (ms: number) => ({ ms, answers: 1, mostMs: 10_000 })
const BRIEF = { warm: spanOf(50), span: spanOf(200) }

test('right answers are counted while the clock runs', async () => {
  let served = 0
  const url = await serve((_, response) => {
    served++
    response.end('right')
  })
  const moments: string[] = []
  const onClock = (moment: string) => void moments.push(moment)
  const measured = await runLoad({ url, talks: everywhere(expecting('right'), 4), ...BRIEF, onClock })
  expect(moments).toEqual(['begin', 'end'])
  expect(measured.allAnswers).toBe(served)
  expect(measured.answers).toBeGreaterThan(0)
  expect(measured.answers).toBeLessThan(served)
  expect(measured.p50).toBeGreaterThan(0)
  expect(measured.p99).toBeGreaterThanOrEqual(measured.p50)
})

test.runIf(FULL)('the clock runs until there is enough to count', async () => {
  const url = await serve((_, response) => void setTimeout(() => response.end('right'), 300))
  const span = { ms: 10, answers: 3, mostMs: 10_000 }
  const load = { url, talks: [expecting('right')], warm: { ms: 0, answers: 0, mostMs: 0 } }
  expect((await runLoad({ ...load, span })).answers).toBeGreaterThanOrEqual(3)
  const running = runLoad({ ...load, span: { ms: 10, answers: 3, mostMs: 20 } })
  await expect(running).rejects.toThrow('no answer came while the clock ran')
})

test('one wrong answer among many fails the row, and is shown', async () => {
  let served = 0
  const url = await serve((_, response) => {
    served++
    response.end(served === 50 ? 'wrong' : 'right')
  })
  const running = runLoad({
    url,
    talks: everywhere(expecting('right'), 4),
    warm: spanOf(0),
    span: spanOf(10_000),
  })
  await expect(running).rejects.toThrow(WrongAnswer)
  await expect(running).rejects.toThrow('not what was expected: 200 wrong')
})

test.runIf(FULL)('a wrong status with the right body is wrong', async () => {
  const url = await serve((_, response) => response.writeHead(500).end('right'))
  const running = runLoad({ url, talks: [expecting('right')], ...BRIEF })
  await expect(running).rejects.toThrow('not what was expected: 500 right')
})

test.runIf(FULL)('an answer that cannot be read by its check is wrong', async () => {
  const url = await serve((_, response) => response.end('{'))
  const talk: Talk = { request: { method: 'GET', path: '/' }, check: ({ body }) => JSON.parse(body) }
  await expect(runLoad({ url, talks: [talk], ...BRIEF })).rejects.toThrow('SyntaxError')
})

test.runIf(FULL)('a connection that is closed instead of an answer is wrong', async () => {
  const url = await serve((request) => request.socket.destroy())
  await expect(runLoad({ url, talks: [expecting('right')], ...BRIEF })).rejects.toThrow(WrongAnswer)
})

test.runIf(FULL)('answers that come in chunks and in pieces are read whole', async () => {
  const text = 'answer '.repeat(20_000)
  const url = await serve((_, response) => {
    response.write(text.slice(0, 50_000))
    setImmediate(() => response.end(text.slice(50_000)))
  })
  const measured = await runLoad({ url, talks: everywhere(expecting(text), 2), ...BRIEF })
  expect(measured.answers).toBeGreaterThan(0)
})

test.runIf(FULL)('what a connection got is what it sends next, to the very end', async () => {
  let issued = 0
  const url = await serve((request, response) => {
    const isNext = request.url === `/${issued}`
    issued++
    response.writeHead(isNext ? 200 : 400).end(String(issued))
  })
  let token = '0'
  const talk: Talk = {
    request: () => ({ method: 'POST', path: `/${token}`, body: 'a=b' }),
    check({ status, body }) {
      token = body
      return status === 200 ? undefined : 'used twice'
    },
  }
  await runLoad({ url, talks: [talk], ...BRIEF })
  // Nothing was cut off: a second run goes on where the first has ended.
  await runLoad({ url, talks: [talk], ...BRIEF })
  expect(token).toBe(String(issued))
})

/** Gives a ticket for each that is shown, and takes none twice. One of those that it gives may be good for nothing. */
async function serveTickets(first: string[]) {
  const good = new Set(first)
  let bad = Number.POSITIVE_INFINITY
  let served = 0
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const shown = /^a=b&ticket=(.+)&c=d$/.exec(body)?.[1] ?? ''
      served++
      const ticket = `ticket-${served}`
      if (served !== bad) good.add(ticket)
      const isRight = good.delete(shown) && request.headers['x-word'] === 'sesame'
      response.writeHead(isRight ? 200 : 400).end(JSON.stringify({ for: shown, ticket }))
    })
  })
  /** The fiftieth ticket from now on is worth nothing. */
  const spoilOne = () => {
    bad = served + 50
  }
  return { url, served: () => served, spoilOne }
}

const showing = (first: string): Talk =>
  chained({
    ...{ field: 'ticket', first, isRight: (told) => typeof told.for === 'string' },
    toRequest: (ticket) => ({
      ...{ method: 'POST', path: '/', headers: { 'x-word': 'sesame' } },
      body: `a=b&ticket=${ticket}&c=d`,
    }),
  })

const TICKETS = ['first-1', 'first-2', 'first-3', 'first-4']

test.runIf(FULL)('what goes on meanwhile is checked as well, and not counted', async () => {
  const url = await serve((request, response) => response.end(request.url === '/' ? 'right' : 'other'))
  const beside = (body: string): Talk => ({ ...expecting(body), request: { method: 'GET', path: '/beside' } })
  const load = { url, talks: [expecting('right')], ...BRIEF }
  const measured = await runLoad({ ...load, meanwhile: [beside('other')] })
  expect(measured.meanwhilePerSecond).toBeGreaterThan(0)
  await expect(runLoad({ ...load, meanwhile: [beside('right')] })).rejects.toThrow(WrongAnswer)
})

/** The clock of wrk knows whole seconds. */
const A_SECOND = { warm: spanOf(50), span: spanOf(1_000) }
const KINDS = [
  ['the same answer', steady],
  ['the same request', asked],
] as const

describe.runIf(FULL && hasWrk)('wrk', () => {
  test.each(KINDS)('counts right answers to %s', async (_, alike) => {
    let served = 0
    const url = await serve(({ method, headers, url: path }, response) => {
      served++
      const isRight =
        method === 'GET' &&
        headers.host !== undefined &&
        headers['x-word'] === 'open "sesame" \\' &&
        path === '/a?b=c'
      response.end(isRight ? '{"said":"right \n å"}' : 'wrong')
    })
    const request = { method: 'GET', path: '/a?b=c', headers: { 'x-word': 'open "sesame" \\' } } as const
    const moments: string[] = []
    const talk = { ...expecting('{"said":"right \n å"}'), request }
    const onClock = (moment: string) => void moments.push(moment)
    const measured = await runLoad({ url, talks: everywhere(alike(talk), 4), ...A_SECOND, onClock })
    expect(moments).toEqual(['begin', 'end'])
    expect(measured.answers).toBeGreaterThan(10)
    // What was asked when time was up is answered, and not waited for.
    expect(served - measured.allAnswers).toBeLessThanOrEqual(8)
    expect(measured.p99).toBeGreaterThanOrEqual(measured.p50)
  })

  test('shows on what each answer gives, once', async () => {
    const { url, served } = await serveTickets(TICKETS)
    const measured = await runLoad({ url, talks: TICKETS.map(showing), ...A_SECOND })
    expect(measured.answers).toBeGreaterThan(10)
    expect(served() - measured.allAnswers).toBeLessThanOrEqual(8)
  })

  test('does not go on from what is worth nothing', async () => {
    const { url, spoilOne } = await serveTickets(TICKETS)
    const onClock = (moment: string) => moment === 'begin' && spoilOne()
    const running = runLoad({ url, talks: TICKETS.map(showing), ...A_SECOND, onClock })
    await expect(running).rejects.toThrow('no new ticket came: 400 {"for":"ticket-')
  })

  test.each(KINDS)('shows one wrong answer among many to %s', async (_, alike) => {
    let served = 0
    const url = await serve((_, response) => {
      served++
      response.end(served === 100 ? 'wrong "one"' : 'right')
    })
    // Counted from when wrk begins: before that another program warms up.
    const onClock = () => {
      served = 0
    }
    const talks = everywhere(alike(expecting('right')), 4)
    const running = runLoad({ url, talks, ...A_SECOND, onClock })
    await expect(running).rejects.toThrow('wrong "one"')
  })

  test.each(KINDS)('does not take a refusal for an answer to %s', async (_, alike) => {
    let served = Number.NEGATIVE_INFINITY
    const url = await serve((_, response) => {
      served++
      response.statusCode = served > 100 ? 500 : 200
      response.end('right')
    })
    const onClock = () => {
      served = 0
    }
    const talks = everywhere(alike(expecting('right')), 4)
    const running = runLoad({ url, talks, ...A_SECOND, onClock })
    await expect(running).rejects.toThrow(WrongAnswer)
  })
})

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Ctx } from '../context.ts'
import { type Grounds, isStanding } from '../lib/grounds.ts'
import { newRequestId } from '../lib/ids.ts'
import { createAddressReader } from './client-address.ts'
import { collect, showCollected } from './collected.ts'
import type { Route } from './define-route.ts'
import { createHeads } from './headers.ts'
import { keyWith, type Question, readQuestion } from './question.ts'
import { createRequestObserver, type Observe } from './request-log.ts'

/**
 * Some questions are asked again and again, by programs that want to know whether somebody may do something. While all
 * that an answer rests on stands, whoever asks the same with the same token is given it before anything else is done:
 * the framework, the look at the token and the making of the answer take more time than to send it.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** What the answer rests on, where it may be given again. */
    grounds: Grounds | undefined
  }
}

interface Given {
  /** By whom it was asked, and with which body. */
  authorization: string | undefined
  asked: string
  observe: Observe
  headers: OutgoingHttpHeaders
  /** The same as text, once it was given a second time. */
  head?: string
  /** Where no two may be the same, what makes the next. */
  text: string | (() => Promise<string>)
  /** Where a character is a byte, none has to be looked at to send it. */
  encoding: 'latin1' | 'utf8'
  grounds: Grounds
}

interface Answer {
  route: string
  headers: OutgoingHttpHeaders
  text: string
  /** Writes another such: nothing but what the route declares. */
  write: (made: object) => string
}

/** Whatever an answer rests on that nobody has thought of is not older than this. */
const LONGEST_MS = 1_000
const MOST = 4_000
/** Longer ones take more room than they save time. */
const LONGEST_TEXT = 8 * 1024

export interface Repetition {
  /** Gives an answer again, or has it made. */
  answer(request: IncomingMessage, response: ServerResponse, make: () => void): void
  /** What a route needs for its answers to be given again. */
  hooksFor(route: Route): Pick<RouteShorthandOptions, 'onSend' | 'preParsing'>
}

export function createRepetition(ctx: Ctx): Repetition {
  /** The routes by their path, and how they are asked. */
  const methods = new Map<string, string>()
  const given = new Map<string, Given>()
  /** What was asked since the last time that was tidied up. An answer is kept when it is asked for a second time. */
  const heard = new Set<string>()
  const observerOf = createRequestObserver(ctx)
  const addressOf = createAddressReader(ctx.config)
  const { prepare } = createHeads(ctx.config)

  function isOurs({ method, url = '', httpVersion }: IncomingMessage, { socket }: ServerResponse): boolean {
    const end = url.indexOf('?')
    if (methods.get(end === -1 ? url : url.slice(0, end)) !== method) return false
    // To older clients Node tells the end of such an answer by the end of the connection.
    if (httpVersion !== '1.1') return false
    // Who sends without reading, or much at once, is watched over elsewhere.
    return socket !== null && socket.writableLength === 0
  }

  /** Whoever tries secrets out may be kept waiting where others are not, so that it matters where somebody is. */
  const keyOf = (address: string, question: Question, asked: string): string =>
    `${address} ${keyWith(question, asked)}`

  function find(address: string, question: Question, asked: string): Given | undefined {
    const known = ctx.changes.isCurrent() ? given.get(keyOf(address, question, asked)) : undefined
    if (!known || known.authorization !== question.authorization || known.asked !== asked) return undefined
    return isStanding(known.grounds, ctx.now()) ? known : undefined
  }

  function give(request: IncomingMessage, response: ServerResponse, known: Given, make: () => void): void {
    const begin = performance.now()
    const send = (text: string) => {
      known.head ??= prepare(known.headers)
      const id = newRequestId()
      request.requestId = id
      response.prepared = known.head
      response.end(text, known.encoding)
      known.observe(id, performance.now() - begin)
    }
    /** Nobody is answered who has gone, or was sent away, while it was made. */
    const sendIfHeard = (text: string) => {
      if (response.socket?.writable) send(text)
    }
    const { text } = known
    if (typeof text === 'string') send(text)
    // What is in the way of another is told by those who made the first.
    else text().then(sendIfHeard, make)
  }

  function remember({ raw, grounds }: FastifyRequest, { route, text, headers, write }: Answer): void {
    const now = ctx.now()
    if (!grounds || !isStanding(grounds, now)) return
    const question = readQuestion(raw)
    const asked = raw.method === 'GET' ? '' : raw.collected
    if (question === undefined || asked === undefined) return
    const address = addressOf(raw)
    const key = keyOf(address, question, asked)
    if (!isHeardAgain(key) || given.size >= MOST) return
    const { authorization } = question
    const { next } = grounds
    const encoding = !next && Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8'
    grounds.until = Math.min(grounds.until, now.getTime() + LONGEST_MS)
    const observe = observerOf({ method: raw.method ?? '', route, status: 200, address })
    const answer = next ? async () => write(await next()) : text
    given.set(key, { authorization, asked, observe, headers, text: answer, encoding, grounds })
  }

  /** Most questions are asked once, and to keep their answers would cost more than to make them. */
  function isHeardAgain(key: string): boolean {
    tidyUpSoon()
    if (heard.has(key)) return true
    if (heard.size < MOST) heard.add(key)
    return false
  }

  let isTidyUpPlanned = false

  /** Tokens and what was told with them are not kept for longer than they are of use. */
  function tidyUpSoon(): void {
    if (isTidyUpPlanned) return
    isTidyUpPlanned = true
    const tidyUp = () => {
      isTidyUpPlanned = false
      heard.clear()
      const now = ctx.now()
      for (const [key, { grounds }] of given.entries()) if (!isStanding(grounds, now)) given.delete(key)
      if (given.size > 0) tidyUpSoon()
    }
    setTimeout(tidyUp, LONGEST_MS).unref()
  }

  return {
    answer(request, response, make) {
      const question = isOurs(request, response) ? readQuestion(request) : undefined
      if (question === undefined) return make()
      const address = addressOf(request)
      const answer = (asked: string) => {
        const known = find(address, question, asked)
        if (known) give(request, response, known, make)
        else make()
      }
      if (request.method === 'GET') answer('')
      else collect(request, answer)
    },
    hooksFor({ method, path }) {
      // What is traced is to be seen, all of it.
      if (ctx.tracer.isOn) return {}
      methods.set(path, method)
      return {
        preParsing: showCollected,
        onSend(request, reply, text: unknown, done) {
          const isWhole = typeof text === 'string' && text.length <= LONGEST_TEXT
          if (isWhole && request.method === method && reply.statusCode === 200) {
            const headers = reply.getHeaders() as OutgoingHttpHeaders
            const write = reply.getSerializationFunction('200') ?? JSON.stringify
            remember(request, { route: path, headers, text, write })
          }
          done(null, text)
        },
      }
    },
  }
}

/** What is measured, one line of the table each. */

export interface Request {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  body: string
}

/** One connection: what it sends, one request after the other, and what it thinks of the answers. */
export interface Talk {
  /** Sent again and again; a function is asked each time, because a token can be used once. */
  request: Request | (() => Request)
  /** Says what is wrong with an answer; undefined: nothing is. */
  check(answer: Answer): string | undefined
  /** What is the same all the time, to the last byte: who asks need not follow what is answered. */
  alike?: 'requests' | 'answers'
  /** What follows from an answer, where that can be said of any of its kind. */
  chain?: Chain
}

/** Each answer gives something that the next request shows, and that can be shown once. */
export interface Chain {
  /** Where it stands in the JSON of an answer. */
  field: string
  /** What is to be shown next. */
  value(): string
  toRequest(value: string): Request
}

/** The programs that are measured, each a process of its own. */
export type ProgramName = 'limits' | 'latchkey' | 'latchkey-two' | 'oidc-provider' | 'better-auth'

/** A program that is running and ready to be asked. */
export interface Program {
  name: ProgramName
  /** http://127.0.0.1:port */
  url: string
  /** What it told of itself when it was ready: tokens, ids. */
  facts: Record<string, string>
}

/** How a row must stand to another of the same run. */
export interface Comparison {
  /** The other row's id. */
  with: string
  /** Its requests per second, as a share of the other's, must be at least so. Undefined: it is only shown. */
  least?: number
}

export interface Row {
  id: string
  /** As the table calls it. */
  name: string
  program: ProgramName
  /** One talk for each connection, all prepared before the clock runs. */
  prepare(program: Program, connections: number): Promise<Talk[]>
  compare?: Comparison[]
  /** A row of the same program that is asked on 32 connections of its own meanwhile. */
  meanwhile?: string
  /** Milliseconds within which 99 of 100 answers must come. */
  mostP99?: number
  /** Connections, where 32 make no sense. */
  connections?: number
}

interface Links extends Omit<Chain, 'value'> {
  first: string
  /** Says of an answer with 200 whether it is as it must be; that it gives something new is seen to. */
  isRight(told: Record<string, unknown>): boolean
}

/** A connection that goes on from one answer to the next. */
export function chained({ field, first, toRequest, isRight }: Links): Talk {
  let value = first
  return {
    request: () => toRequest(value),
    check({ status, body }) {
      const told = status === 200 ? JSON.parse(body) : {}
      const next = told[field]
      if (typeof next !== 'string' || next === value) return `no new ${field} came`
      value = next
      return isRight(told) ? undefined : `what came with the ${field} is not as it must be`
    },
    chain: { field, toRequest, value: () => value },
  }
}

/** The same talk on every connection. */
export const everywhere = (talk: Talk, connections: number): Talk[] => Array(connections).fill(talk)

/** What is asked and answered the same all the time. */
export const steady = (talk: Talk): Talk => ({ ...talk, alike: 'answers' })

/** What is asked the same all the time. A row and those that it is compared with are asked by the same program. */
export const asked = (talk: Talk): Talk => ({ ...talk, alike: 'requests' })

/** Rows of the result table, and the scenarios that produce them. */

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface HttpResponse {
  status: number
  body: string
  /** The Location header, if there is one. wrk does not record it. */
  location?: string | undefined
}

/** What one connection sends, one request after the other, and how it checks the responses. */
export interface Scenario {
  /** Sent repeatedly. A function is called for each request, for example because a token is valid once. */
  request: HttpRequest | (() => HttpRequest)
  /** Describes what is wrong with a response. Undefined: nothing. */
  check(response: HttpResponse): string | undefined
  /** Identical every time, byte for byte. A load generator need not build the request or parse the response. */
  fixed?: 'request' | 'response'
  /** Set if each response provides a value for a later request. */
  chain?: Chain
  /** Set if the requests are drawn from a mix. */
  mix?: Mix
}

/** Each response contains a value that a later request must send, once. */
export interface Chain {
  /** The JSON field of the response that contains the value. */
  field: string
  /** The next value to send. */
  value(): string
  toRequest(value: string): HttpRequest
}

/** Requests that differ. */
export interface Mix {
  requests: MixedRequest[]
  /** The indexes of the requests, in the order in which they are sent. Repeated at its end. */
  sequence: number[]
}

export interface MixedRequest {
  request: HttpRequest
  /** The body of the response. Undefined: it differs every time, and the scenario checks it. */
  expectedBody?: string
}

/** The measured programs. Each is a separate process. */
export type ProgramName = 'limits' | 'latchkey' | 'latchkey-two' | 'oidc-provider' | 'better-auth'

/** A running program that is ready for requests. */
export interface Program {
  name: ProgramName
  /** http://127.0.0.1:port */
  url: string
  /** Tokens and ids that the program reported when it was ready. */
  outputs: Record<string, string>
}

export interface Comparison {
  /** The id of the other row. */
  with: string
  /** The lowest allowed ratio of this row's requests per second to the other's. Undefined: only reported. */
  minRatio?: number
}

export interface Row {
  id: string
  /** Shown in the table. */
  name: string
  program: ProgramName
  /** Creates one scenario per connection, before the measurement. */
  prepare(program: Program, connections: number): Promise<Scenario[]>
  compare?: Comparison[]
  /** The id of a row of the same program that runs at the same time on 32 separate connections. */
  background?: string
  maxP99Ms?: number
  /** Default: 32. */
  connections?: number
}

interface ChainOptions extends Omit<Chain, 'value'> {
  firstValue: string
  /** Checks the body of a response with status 200. That it contains a new value is checked already. */
  isValid(body: Record<string, unknown>): boolean
}

export function createChainedScenario({ field, firstValue, toRequest, isValid }: ChainOptions): Scenario {
  let value = firstValue
  return {
    request: () => toRequest(value),
    check({ status, body: text }) {
      const body = status === 200 ? JSON.parse(text) : {}
      const next = body[field]
      if (typeof next !== 'string' || next === value) return `no new ${field}`
      value = next
      return isValid(body) ? undefined : `the response with the ${field} is not valid`
    },
    chain: { field, toRequest, value: () => value },
  }
}

export const onEveryConnection = (scenario: Scenario, connections: number): Scenario[] =>
  Array(connections).fill(scenario)

/** All requests are identical, and so are all responses. */
export const withFixedResponse = (scenario: Scenario): Scenario => ({ ...scenario, fixed: 'response' })

/** All requests are identical. Mark rows that are compared alike, so that the same load generator runs them. */
export const withFixedRequest = (scenario: Scenario): Scenario => ({ ...scenario, fixed: 'request' })

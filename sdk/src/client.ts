import { LatchkeyError } from './error.ts'
import { FORM_OPERATIONS, type Operations } from './types.ts'

/** A route, as `GET /api/tenants/{id}`. */
export type Operation = keyof Operations

type Part<O extends Operation, P extends 'path' | 'query' | 'body'> = P extends keyof Operations[O]
  ? Operations[O][P]
  : undefined

/** A part that must be given, may be left out, or is not there at all. */
type Given<P extends string, T> = [T] extends [undefined]
  ? { [K in P]?: undefined }
  : undefined extends T
    ? { [K in P]?: T }
    : Record<string, never> extends T
      ? { [K in P]?: T }
      : Partial<T> extends T
        ? { [K in P]?: T }
        : { [K in P]: T }

/** What a route takes. */
export type Input<O extends Operation> = Given<'path', Part<O, 'path'>> &
  Given<'query', Part<O, 'query'>> &
  Given<'body', Part<O, 'body'>> & {
    /** Makes repeating the request harmless, where the route takes one. */
    idempotencyKey?: string
    signal?: AbortSignal
  }

/** What a route answers. */
export type Reply<O extends Operation> = Operations[O] extends { reply: infer R } ? R : undefined

export interface ClientOptions {
  /** Where Latchkey is, such as https://id.example.com. */
  baseUrl: string
  /** The access token to send, asked for at each request; undefined: none. */
  token?: () => Promise<string | undefined> | string | undefined
  fetch?: typeof fetch
}

export interface Client {
  /**
   * Calls a route and returns what it answers; throws a `LatchkeyError` when it refuses.
   *
   * @example
   * const client = createClient({ baseUrl: 'https://id.example.com', token: () => accessToken })
   * const { members } = await client.call('GET /api/tenants/{id}/members', { path: { id }, query: { limit: 100 } })
   */
  call<O extends Operation>(operation: O, input: Input<O>): Promise<Reply<O>>
}

/** A client of one instance. It keeps nothing: which token is sent is asked anew each time. */
export function createClient({ baseUrl, token, fetch: send = fetch }: ClientOptions): Client {
  return {
    async call(operation, input) {
      const [method = '', template = ''] = operation.split(' ')
      const { path, query, body, idempotencyKey, signal } = input as LooseInput
      const address = baseUrl.replace(/\/$/, '') + fillIn(template, path) + toQuery(query)
      const accessToken = await token?.()
      const sent = encode(operation, body)
      const response = await send(address, {
        method,
        headers: {
          accept: 'application/json',
          ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
          ...(sent && { 'content-type': sent.type }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(sent && { body: sent.text }),
        ...(signal && { signal }),
        // Who we are is told by the token alone.
        credentials: 'omit',
      })
      const answer = await read(response)
      if (!response.ok) throw LatchkeyError.from(response, answer)
      return answer as never
    },
  }
}

interface LooseInput {
  path?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
}

/** The body as the route takes it. */
function encode(operation: Operation, body: unknown): { type: string; text: string } | undefined {
  if (body === undefined) return undefined
  if (!FORM_OPERATIONS.includes(operation)) return { type: 'application/json', text: JSON.stringify(body) }
  const given = Object.entries(body as Record<string, string | undefined>)
  const fields = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() }
}

const fillIn = (template: string, values: LooseInput['path'] = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    // These would make the address one of another route.
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} cannot be "${value}" in ${template}`)
    return encodeURIComponent(value)
  })

function toQuery(query: LooseInput['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text()
  const isJson = /^application\/(?:[\w.+-]+\+)?json/.test(response.headers.get('content-type') ?? '')
  if (!isJson) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

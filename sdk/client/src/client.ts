import { LatchkeyError } from './error.ts'
import { withRetry } from './retry.ts'
import { FORM_OPERATIONS, IDEMPOTENT_OPERATIONS, type Operations } from './types.ts'

/** A route, such as `GET /api/tenants/{id}`. */
export type Operation = keyof Operations

type Part<O extends Operation, P extends 'path' | 'query' | 'body'> = P extends keyof Operations[O]
  ? Operations[O][P]
  : undefined

/** A part of the input that is required, optional or absent, depending on the route. */
type InputPart<P extends string, T> = [T] extends [undefined]
  ? { [K in P]?: undefined }
  : undefined extends T
    ? { [K in P]?: T }
    : Record<string, never> extends T
      ? { [K in P]?: T }
      : Partial<T> extends T
        ? { [K in P]?: T }
        : { [K in P]: T }

/** The input of a route. */
export type Input<O extends Operation> = InputPart<'path', Part<O, 'path'>> &
  InputPart<'query', Part<O, 'query'>> &
  InputPart<'body', Part<O, 'body'>> & {
    /** The Idempotency-Key header. Routes that accept one get a random key by default. */
    idempotencyKey?: string
    signal?: AbortSignal
  }

/** The response body of a route. */
export type Reply<O extends Operation> = Operations[O] extends { reply: infer R } ? R : undefined

export interface ClientOptions {
  /** The base URL of Latchkey, such as https://id.example.com. */
  baseUrl: string
  /** Returns the access token for each request, or undefined to send none. */
  token?: () => Promise<string | undefined> | string | undefined
  /** How often a request is repeated at most; see `withRetry`. Default: 3. */
  maxRetries?: number
  fetch?: typeof fetch
}

export interface Client {
  /**
   * Calls a route and returns its response body. Throws a `LatchkeyError` for an error status.
   *
   * @example
   * const client = createClient({ baseUrl: 'https://id.example.com', token: () => accessToken })
   * const { members } = await client.call('GET /api/tenants/{id}/members', { path: { id }, query: { limit: 100 } })
   */
  call<O extends Operation>(operation: O, input: Input<O>): Promise<Reply<O>>
}

/** Creates a stateless client of one Latchkey instance. */
export function createClient({ baseUrl, token, ...options }: ClientOptions): Client {
  const send = withRetry(options)
  return {
    async call(operation, input) {
      const [method = '', template = ''] = operation.split(' ')
      const { path, query, body, signal, ...rest } = input as LooseInput
      const idempotencyKey = rest.idempotencyKey ?? createKey(operation)
      const url = baseUrl.replace(/\/$/, '') + fillPath(template, path) + toQuery(query)
      const accessToken = await token?.()
      const encoded = encodeBody(operation, body)
      const response = await send(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
          ...(encoded && { 'content-type': encoded.type }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(encoded && { body: encoded.text }),
        ...(signal && { signal }),
        // A redirect could lead the token to another server.
        redirect: 'error',
        // The token alone authenticates the request.
        credentials: 'omit',
      })
      const reply = await parseBody(response)
      if (!response.ok) throw LatchkeyError.from(response, reply)
      return reply as never
    },
  }
}

/** With a key, a request can be repeated after a failed connection. */
function createKey(operation: Operation): string | undefined {
  if (!IDEMPOTENT_OPERATIONS.includes(operation)) return undefined
  // Browsers have crypto.randomUUID only on HTTPS.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

interface LooseInput {
  path?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
}

function encodeBody(operation: Operation, body: unknown): { type: string; text: string } | undefined {
  if (body === undefined) return undefined
  if (!FORM_OPERATIONS.includes(operation)) return { type: 'application/json', text: JSON.stringify(body) }
  const entries = Object.entries(body as Record<string, string | undefined>)
  const fields = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() }
}

const fillPath = (template: string, values: LooseInput['path'] = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    // These values would change the route.
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} cannot be "${value}" in ${template}`)
    return encodeURIComponent(value)
  })

function toQuery(query: LooseInput['query'] = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

async function parseBody(response: Response): Promise<unknown> {
  const text = await response.text()
  const isJson = /^application\/(?:[\w.+-]+\+)?json/.test(response.headers.get('content-type') ?? '')
  if (!isJson) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
